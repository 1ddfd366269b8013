import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const other = program.another();
  try {
    await Promise.all([program.url, other.url]);
    const answers = await Promise.all([
      program.fetchAll(3, '/reports/7', { method: 'POST' }),
      other.fetchAll(3, '/reports/7', { method: 'POST' }),
    ]);
    assert.deepEqual(
      statuses(answers.flat()),
      { 200: 4, 503: 2 },
      'two run and two wait, over both instances',
    );

    // All permits have been released: the whole limit is available again.
    const again = await other.fetchAll(2, '/reports/8', { method: 'POST' });
    assert.deepEqual(statuses(again), { 200: 2 });

    const running = program.fetchAll(2, '/reports/9', { method: 'POST' });
    await program.until('/stats', ({ holders }) => holders === 2);
    const waiting = other.fetch('/reports/9', { method: 'POST' });
    await other.until('/stats', ({ queued }) => queued === 1);
    program.child.kill('SIGTERM');
    assert.deepEqual(statuses(await running), { 200: 2 }, 'running requests finish');
    assert.equal(await program.exited, 0);
    assert.match(program.output, /closed, 0 unfinished/);
    assert.equal((await waiting).status, 200, 'its permits go to the other instance');
  } finally {
    await other.stop();
  }
}
