import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const as = (authorization: string) => ({ headers: { authorization } });
  let answered = 0;
  const burst = Array.from({ length: 30 }, () =>
    program.fetch('/', as('Bearer secret-b')).finally(() => {
      answered++;
    }),
  );
  // The whole burst has arrived by now.
  await Promise.race(burst);
  const others = await Promise.all([
    program.fetchAll(4, '/', as('Bearer secret-a')),
    program.fetchAll(2, '/', as('Bearer secret-c')),
  ]);
  assert.deepEqual(statuses(others.flat()), { 200: 6 });
  assert(
    answered < burst.length,
    'later requests of other tenants are served before the burst ends',
  );
  assert.deepEqual(statuses(await Promise.all(burst)), { 200: 30 });
}
