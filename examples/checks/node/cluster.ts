import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  await program.prints(/4 workers/);
  const answers = await program.fetchAll(10, '/');
  assert.deepEqual(
    statuses(answers),
    { 200: 6, 503: 4 },
    'three run and three wait, over all workers',
  );
  assert.ok(answers.every(({ status, headers }) => status === 200 || headers.has('retry-after')));
  const pages = await Promise.all(answers.map((answer) => answer.text()));
  assert.ok(new Set(pages.filter((page) => page !== '')).size > 1, 'more than one worker answers');

  const requests = Array.from({ length: 6 }, () => program.fetch('/'));
  await Promise.race(requests); // then those that waited run
  program.child.kill('SIGTERM');
  await untilRefused(await program.url);
  program.child.kill('SIGTERM'); // supervisors may send it twice
  await Promise.all(requests);
  assert.equal(await program.exited, 0);
  assert.equal(program.output.match(/closed, 0 unfinished/g)?.length, 4);
}

async function untilRefused(url: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(url).port));
    try {
      await once(socket, 'connect');
    } catch {
      return;
    } finally {
      socket.destroy();
    }
  }
}
