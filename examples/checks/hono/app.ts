import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const answers = await program.fetchAll(5, '/renders', { method: 'POST', body: 'a text' });
  assert.deepEqual(statuses(answers), { 200: 4, 503: 1 }, 'two run, two wait');
  const waits = answers.map(({ headers }) => Number(headers.get('x-waited')));
  assert.equal(waits.filter((wait) => wait > 0).length, 2);
  assert.equal(await (await program.fetch('/health')).text(), 'ok');
}
