#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

const name = `@mynah-dapr/${process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";
const binary = createRequire(import.meta.url).resolve(`${name}/bin/mynah${suffix}`);
const result = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
process.exit(result.status ?? 1);
