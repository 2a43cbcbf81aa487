// Builds dist/inspector.html: one file with the markup, one style and one script, and a policy with their hashes.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const LIMIT = 60 * 1024;
const here = (path) => new URL(path, import.meta.url);

async function script() {
  const result = await build({
    entryPoints: [here("src/main.tsx").pathname],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "ascii",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return result.outputFiles[0].text.trim();
}

async function style() {
  const names = (await readdir(here("src/style/"))).filter((name) => name.endsWith(".css")).sort();
  const sheets = await Promise.all(names.map((name) => readFile(here(`src/style/${name}`), "utf8")));
  const { code } = await transform(sheets.join("\n"), { loader: "css", minify: true, target: "es2022" });
  return code.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// A function as replacement keeps `$&` in the code as it is.
const fill = (page, name, text) => page.replace(`{{${name}}}`, () => text);

const [code, css] = await Promise.all([script(), style()]);
const policy = [
  "default-src 'none'",
  `script-src ${hash(code)}`,
  `style-src ${hash(css)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
let page = await readFile(here("src/page.html"), "utf8");
for (const [name, text] of [["policy", policy], ["style", css], ["script", code]]) page = fill(page, name, text);

const size = gzipSync(page, { level: 9 }).length;
console.log(`dist/inspector.html: ${size} bytes gzipped, of at most ${LIMIT}`);
if (size > LIMIT) process.exit(1);
await mkdir(here("dist/"), { recursive: true });
await writeFile(here("dist/inspector.html"), page);
