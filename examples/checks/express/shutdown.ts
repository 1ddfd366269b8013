import assert from 'node:assert/strict';
import type { Program } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const running = program.fetch('/');
  await program.until('/health', ({ holders }) => holders === 1);
  const waiting = program.fetch('/');
  await program.until('/health', ({ queued }) => queued === 1);

  program.child.kill('SIGTERM');
  const rejected = await waiting;
  assert.equal(rejected.status, 503);
  assert.equal(rejected.headers.get('connection'), 'close');
  assert.equal((await running).status, 200);
  assert.equal(await program.exited, 0);
  assert.match(program.output, /closed, 0 unfinished/);
}
