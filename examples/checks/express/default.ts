import assert from 'node:assert/strict';
import type { Program } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const pages = program.fetchAll(100, '/');
  const order = await program.fetch('/orders', { method: 'POST' });
  assert.equal(order.status, 200);
  const statuses = new Set((await pages).map(({ status }) => status));
  assert.deepEqual([...statuses].sort(), [200, 503], 'some are answered soon, the others rejected');
}
