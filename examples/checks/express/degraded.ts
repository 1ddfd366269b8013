import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const fresh = await program.fetch('/recommendations/ann');
  const known = await fresh.text();
  assert.match(known, /^For ann/);

  const both = await program.fetchAll(2, '/recommendations/ann');
  assert.deepEqual(statuses(both), { 200: 2 });
  const [stale] = both.filter(({ headers }) => headers.get('x-degraded') === 'full');
  assert.equal(await stale?.text(), known, 'one of them gets the cached answer');

  const uncached = await Promise.all([
    program.fetch('/recommendations/bob'),
    program.fetch('/recommendations/eve'),
  ]);
  assert.deepEqual(
    statuses(uncached),
    { 200: 1, 503: 1 },
    'there is no cached answer to fall back on',
  );
  assert.ok(uncached.some(({ headers }) => Number(headers.get('retry-after')) >= 1));
}
