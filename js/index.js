// Most of the package is CommonJS, which Jest loads without a flag of Node.
export { startMynah, toolCall, withMynah } from './lib/index.cjs';
