import assert from 'node:assert/strict';
import { type Program, statuses } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const answers = await program.fetchAll(5, '/reports');
  assert.deepEqual(statuses(answers), { 200: 4, 503: 1 }, 'two run, two wait');
  const aborter = new AbortController();
  const { body } = await program.fetch('/events', { signal: aborter.signal });
  const event = await body?.pipeThrough(new TextDecoderStream()).getReader().read();
  assert.equal(event?.value, 'data: 1 open\n\n');
  aborter.abort();
  assert.equal(await (await program.fetch('/health')).text(), 'ok');
}
