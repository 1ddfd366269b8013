// npm run compat -- runtimes [runtimes] [--write]: runs the tests of the packed packages on other versions of Node, on
// Bun and on Deno. With --write, and all runtimes, also writes the tables of docs/lab/runtimes.md.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../pack/tarballs.mjs';
import { judge } from './judge.mjs';
import { writePage } from './page.mjs';
import { createProject } from './project.mjs';
import { runReadme } from './readme.mjs';
import { runSuites } from './run-suites.mjs';
import { idOf, install, runtimes } from './runtimes.mjs';
import { sizesOf } from './sizes.mjs';

const wanted = process.argv.slice(2).filter((word) => word !== '--write');
const known = runtimes.map(idOf);
if (wanted.some((id) => !known.includes(id))) {
  console.error(`Usage: npm run compat -- runtimes [${known.join(' ')}] [--write]`);
  process.exit(2);
}
const chosen = runtimes.filter((runtime) => wanted.length === 0 || wanted.includes(idOf(runtime)));

const paths = new Map();
for (const runtime of chosen) paths.set(runtime, await install(runtime));

const folder = mkdtempSync(join(tmpdir(), 'headgate-runtimes-'));
// Servers that refuse to run as root are started as another user, on Deno from this folder.
chmodSync(folder, 0o755);
const rows = [];
try {
  const tarballs = pack();
  createProject(folder, tarballs);
  const queue = [...chosen];
  const testNext = async () => {
    for (let runtime = queue.shift(); runtime !== undefined; runtime = queue.shift())
      rows.push(...(await test(runtime)));
  };
  // Two at a time: the tests mainly wait.
  await Promise.all([testNext(), testNext()]);
  if (process.argv.includes('--write') && wanted.length === 0) writePage(rows, sizesOf(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed, 0 skipped`);
if (sum('failed') > 0) process.exitCode = 1;

/** Runs all suites on a runtime and prints its results. */
async function test(runtime) {
  const started = Date.now();
  const path = paths.get(runtime);
  const found = judge(runtime, [
    ...(await runSuites(runtime, path, folder)),
    await runReadme(runtime, path, folder),
  ]);
  const seconds = ((Date.now() - started) / 1_000).toFixed(0);
  console.log(`\n${runtime.name} ${runtime.version} (${seconds} s)`);
  for (const { suite, passed, failed, different, inapplicable } of found)
    console.log(
      `  ${suite.package}, ${suite.name}: ${passed} passed, ${failed} failed, ${different} different, ${inapplicable} not applicable`,
    );
  for (const { problems } of found)
    for (const problem of problems) console.log(`FAILED ${problem}`);
  return found.map((row) => ({ runtime, ...row }));
}
