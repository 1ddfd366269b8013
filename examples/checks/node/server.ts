import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const [answers, health] = await Promise.all([program.fetchAll(5, '/'), program.fetch('/health')]);
  assert.equal(await health.text(), 'ok');
  assert.deepEqual(statuses(answers), { 200: 4, 503: 1 }, 'two run, two wait');
  const failed = await program.fetchAll(3, '/broken');
  assert.deepEqual(statuses(failed), { 500: 3 }, 'a failed request releases its permit');
}
