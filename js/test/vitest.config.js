export default { test: { include: ['**/*.vitest.*'] } };
