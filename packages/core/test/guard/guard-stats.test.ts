import { collectWarnings } from '@headgate/test-kit/warnings';
import { expect, it } from 'vitest';
import { createGate } from '../../src/index.ts';
import { guarded } from './recording-guard.ts';

it("stats() contains the guard's state, or only its name", () => {
  const { gate, guard } = guarded();
  expect(gate.stats().guard).toEqual({ name: 'sentry' });
  const stats = () => ({ delay: 12, shedding: 0.5 });
  const measured = guarded({ guard: Object.assign(guard, { stats }) });
  expect(measured.gate.stats().guard).toEqual({ name: 'sentry', delay: 12, shedding: 0.5 });
  expect(createGate({ limits: [{ name: 'app', limit: 1 }] }).stats().guard).toBeUndefined();
});

it('stats() contains only the name of a guard whose stats() throws, and warns once until it works again', () => {
  const warnings = collectWarnings();
  const { guard } = guarded();
  let error: unknown = new Error('no sensor');
  const stats = () => {
    if (error !== undefined) throw error;
    return { delay: 12 };
  };
  const { gate } = guarded({ guard: Object.assign(guard, { stats }) });
  for (const _ of [1, 2])
    expect(gate.stats()).toMatchObject({ guard: { name: 'sentry' }, queued: 0 });
  expect(warnings).toEqual(['HEADGATE_STATS']);
  error = undefined;
  expect(gate.stats().guard).toEqual({ name: 'sentry', delay: 12 });
  error = Symbol('no sensor');
  expect(gate.stats().guard).toEqual({ name: 'sentry' });
  expect(warnings).toEqual(['HEADGATE_STATS', 'HEADGATE_STATS']);
});

it.each([
  ['a promise that is rejected', async () => Promise.reject(new Error('no answer'))],
  ['a text', () => 'busy'],
])('stats() has at least the name of a guard whose own stats() returns %s', async (_, stats) => {
  const warnings = collectWarnings();
  const { guard } = guarded();
  const { gate } = guarded({ guard: Object.assign(guard, { stats: stats as never }) });
  expect(gate.stats().guard).toEqual({ name: 'sentry' });
  // An unhandled rejection would be noticed by then.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual(['HEADGATE_STATS']);
});
