import assert from 'node:assert/strict';
import { type Program, statuses } from './program.ts';

/** A limit for the app, another one for `POST /reports`, whose status is `created`, and none for the health check. */
export function ownLimits(created: number): (program: Program) => Promise<void> {
  return async (program) => {
    const [answers, reports, health] = await Promise.all([
      program.fetchAll(5, '/'),
      program.fetchAll(2, '/reports', { method: 'POST' }),
      program.fetch('/health'),
    ]);
    assert.equal(await health.text(), 'ok');
    assert.deepEqual(statuses(answers), { 200: 4, 503: 1 }, 'two run, two wait');
    assert.deepEqual(statuses(reports), { [created]: 1, 503: 1 }, 'reports have their own limit');
  };
}
