#!/usr/bin/env node
// Committed rather than built: pnpm links the command when it installs a clone, which is before the first build.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);

if (existsSync(program)) {
  await import(program.href);
} else {
  console.error('headgate-server is not built yet: run `npm run build` in the repository first.');
  process.exitCode = 1;
}
