import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const running = program.fetchAll(4, '/report');
  await program.until('/ready', ({ holders }) => holders === 4);
  const queued = program.fetch('/report');
  await program.until('/ready', ({ queued }) => queued === 1);
  const events = await program.fetch('/events');

  program.child.kill('SIGTERM');
  await program.until('/ready', ({ isReady }) => isReady === false);
  assert.equal((await program.fetch('/ready')).status, 503);
  program.child.kill('SIGTERM'); // supervisors may send it twice
  const late = program.fetch('/report');

  const responses = [...(await running), await queued, await late];
  assert.deepEqual(statuses(responses), { 200: 6 }, 'queued and late requests are served');
  const connections = responses.map(({ headers }) => headers.get('connection'));
  assert.deepEqual(
    new Set(connections),
    new Set(['close']),
    'their connections are not used again',
  );
  assert.match(await events.text(), /data: the server restarts\n\n$/);
  assert.equal(await program.exited, 0);
  assert.match(program.output, /closed, 0 unfinished/);
}
