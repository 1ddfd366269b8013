import assert from 'node:assert/strict';
import { type Program, statuses } from './program.ts';

export async function nestjs(program: Program): Promise<void> {
  const [answers, reports, health] = await Promise.all([
    program.fetchAll(5, '/'),
    program.fetchAll(2, '/reports', { method: 'POST' }),
    program.fetch('/health'),
  ]);
  assert.equal(await health.text(), 'ok');
  assert.deepEqual(statuses(answers), { 200: 4, 503: 1 }, 'two run, two wait');
  assert.deepEqual(statuses(reports), { 201: 1, 503: 1 }, 'the handler has a limit of its own');
}
