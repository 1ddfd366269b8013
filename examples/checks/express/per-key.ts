import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const as = (authorization: string) => ({ headers: { authorization } });
  const [paying, free, anonymous] = await Promise.all([
    program.fetchAll(6, '/', as('Bearer secret-a')),
    program.fetchAll(3, '/', as('Bearer secret-b')),
    program.fetchAll(3, '/'),
  ]);
  assert.deepEqual(statuses(paying), { 200: 5, 429: 1 }, 'four run, one waits');
  assert.deepEqual(statuses(free), { 200: 2, 429: 1 }, 'one runs, one waits');
  assert.deepEqual(
    statuses(anonymous),
    { 200: 2, 429: 1 },
    'anonymous clients share the limit of their address',
  );
}
