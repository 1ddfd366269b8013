import assert from 'node:assert/strict';
import { type Program, statuses } from './program.ts';

export async function drain(program: Program): Promise<void> {
  const running = program.fetch('/');
  await program.until('/ready', ({ holders }) => holders === 1);
  const queued = program.fetch('/');
  await program.until('/ready', ({ queued }) => queued === 1);

  program.child.kill('SIGTERM');
  await program.until('/ready', ({ isReady }) => isReady === false);
  assert.equal((await program.fetch('/ready')).status, 503);
  const late = program.fetch('/');

  const responses = await Promise.all([running, queued, late]);
  assert.deepEqual(statuses(responses), { 200: 3 }, 'queued and late requests are served');
  assert.equal(await program.exited, 0);
  assert.match(program.output, /closed, 0 unfinished/);
}
