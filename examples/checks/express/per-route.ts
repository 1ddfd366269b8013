import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  let done = false;
  const reports = program.fetchAll(5, '/reports/7', { method: 'POST' }).finally(() => {
    done = true;
  });
  const others = await Promise.all([program.fetch('/'), program.fetch('/health')]);
  assert.deepEqual(statuses(others), { 200: 2 });
  assert.equal(done, false, 'other routes do not wait for reports');

  const answers = await reports;
  assert.deepEqual(statuses(answers), { 200: 4, 503: 1 }, 'two run, two wait');
  const refused = answers.find(({ status }) => status === 503);
  assert.ok(Number(refused?.headers.get('retry-after')) >= 1);
  const problem = (await refused?.json()) as Record<string, unknown>;
  assert.deepEqual(problem['violated-policies'], ['reports']);
}
