import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const [answers, health] = await Promise.all([program.fetchAll(5, '/'), program.fetch('/health')]);
  assert.equal(await health.text(), 'ok');
  assert.deepEqual(statuses(answers), { 200: 4, 429: 1 }, 'two run, two wait');
  for (const { headers } of answers) {
    assert.match(String(headers.get('ratelimit-policy')), /"address";q=2;qu="concurrent-requests"/);
  }
}
