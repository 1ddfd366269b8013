import assert from 'node:assert/strict';
import { type Program, statuses } from './program.ts';

export async function tenants(program: Program): Promise<void> {
  const as = (authorization: string) => ({ headers: { authorization } });
  let answered = 0;
  const burst = Array.from({ length: 30 }, () =>
    program.fetch('/', as('Bearer secret-b')).finally(() => {
      answered++;
    }),
  );
  // All of the burst has come by now.
  await Promise.race(burst);
  const others = await Promise.all([
    program.fetchAll(4, '/', as('Bearer secret-a')),
    program.fetchAll(2, '/', as('Bearer secret-c')),
  ]);
  assert.deepEqual(statuses(others.flat()), { 200: 6 });
  assert(answered < burst.length, 'who comes later is served before the burst is over');
  assert.deepEqual(statuses(await Promise.all(burst)), { 200: 30 });
}
