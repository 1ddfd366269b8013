// All checks, one step after the other. A failing step does not stop the others.
import { execute } from './shell.mjs';

const steps = [
  ['set-up', 'node scripts/bootstrap.mjs'],
  ['no address in the lock file', "! grep -nE 'https?://|tarball:' pnpm-lock.yaml"],
  ['lint', 'npm run lint'],
  ['types', 'npm run typecheck'],
  ['build', 'npm run build'],
  ['tests', 'npm test'],
  ['a private clone', 'node scripts/private-clone.mjs'],
  ['long tests', 'npm run test:long'],
  ['oldest PostgreSQL', 'npm run compat -- postgres'],
  ['coverage of the core', 'npm run test:coverage'],
  ['a release, without publishing', 'npm run release -- --dry-run'],
  ['runtime tests', 'npm run compat -- runtimes'],
  [
    'servers with the hook',
    'npm run compat -- hosts fastify hapi http-proxy ws socket.io http2 cluster worker-thread',
  ],
  ['examples', 'npm run examples'],
  ['demo', 'npm run demo -- --quick'],
  ['size', 'npm run pack -- size'],
  ['site', 'npm run docs -- site'],
  ['site tests', 'npm run docs -- site-check'],
];

/** The part of a failed step's output that is repeated at the end: its failed tests, and its last lines. */
function failureOf(output) {
  const lines = output.split('\n');
  return [
    ...lines.slice(0, -40).filter((line) => /^(FAILED|SKIPPED) /.test(line)),
    ...lines.slice(-40),
  ];
}

const total = { passed: 0, failed: 0, skipped: 0 };
const summary = [];
const failures = [];

for (const [name, command] of steps) {
  console.log(`\n=== ${name}: ${command}`);
  const started = Date.now();
  const { status, output } = await execute(command, { isShown: true });
  const ok = status === 0;
  total[ok ? 'passed' : 'failed'] += 1;
  summary.push(
    `${ok ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`,
  );
  if (!ok) failures.push(`=== ${name} failed:`, ...failureOf(output));
  // Tests are counted individually; their second run, for the coverage, counts as one step.
  const closing = /^(\d+) passed, (\d+) failed, (\d+) skipped$/gm;
  const counts = name.endsWith('tests') && [...output.matchAll(closing)].at(-1)?.slice(1);
  if (counts) for (const [i, key] of Object.keys(total).entries()) total[key] += Number(counts[i]);
}

if (failures.length > 0) console.log(`\n${failures.join('\n')}`);
console.log(`\n${summary.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.failed > 0) process.exitCode = 1;
