// npm run compat -- hosts [--try] [hosts]: installs frameworks and other programs from npm, starts them unmodified with
// `--import @headgate/node/register` of the packed packages, and checks that their requests are limited. With `--try`,
// runs `headgate try` on them instead.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../pack/tarballs.mjs';
import { Backend } from './backend.mjs';
import { hosts } from './hosts.mjs';
import { createProject } from './project.mjs';
import { tryCheck } from './try-check.mjs';

const isTry = process.argv.includes('--try');
const wanted = process.argv.slice(2).filter((arg) => arg !== '--try');
const available = hosts.filter(({ tried }) => !isTry || tried !== undefined);
const known = available.map(({ id }) => id);
if (wanted.some((id) => !known.includes(id))) {
  console.error(`Usage: npm run compat -- hosts [--try] [${known.join(' ')}]`);
  process.exit(2);
}
const chosen = available.filter(({ id }) => wanted.length === 0 || wanted.includes(id));

const folder = mkdtempSync(join(tmpdir(), 'headgate-hosts-'));
const backend = await Backend.start();
const counts = { passed: 0, failed: 0, skipped: 0 };
/** Hosts with the same app are built once. */
const projects = new Map();
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// The exit ends the started hosts, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
try {
  const tarballs = pack();
  for (const host of chosen) await test(host, tarballs);
} finally {
  await backend.close();
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
if (counts.failed > 0) process.exitCode = 1;

async function test(host, tarballs) {
  const started = Date.now();
  const why = await whyItFails(host, tarballs);
  const seconds = ((Date.now() - started) / 1_000).toFixed(0);
  const [result, key] = why === undefined ? ['ok    ', 'passed'] : ['FAILED', 'failed'];
  counts[key] += 1;
  console.log(`${result} ${host.id} (${seconds} s)${why === undefined ? '' : `: ${why}`}`);
}

async function whyItFails(host, tarballs) {
  try {
    const { app } = host;
    if (!projects.has(app)) projects.set(app, await createProject(app, { folder, tarballs }));
    const check = isTry ? tryCheck(host.tried) : host.check;
    await check({ project: projects.get(app), backend });
    return undefined;
  } catch (error) {
    return error.stack ?? String(error);
  }
}
