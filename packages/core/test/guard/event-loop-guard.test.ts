import { performance } from 'node:perf_hooks';
import { expect, it, onTestFinished, vi } from 'vitest';
import { eventLoopGuard } from '../../src/node/index.ts';

it('has a name, and admits requests on an idle loop', async () => {
  const guard = eventLoopGuard();
  expect([guard.name, eventLoopGuard({ name: 'api' }).name]).toEqual(['event-loop', 'api']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(guard.admits('sheddable')).toBe(true);
});

it('admits the first request of a loop iteration, and rejects priorities whose maximum delay has passed', async () => {
  const guard = eventLoopGuard({ maxDelay: 40 });
  await new Promise((resolve) => setTimeout(resolve));
  expect(guard.admits('normal')).toBe(true);
  const end = performance.now() + 100;
  while (performance.now() < end);
  expect(guard.admits('normal')).toBe(false);
  expect(guard.admits('critical')).toBe(true);
});

it('reports the delay of the loop, and the fraction of the latest requests that it has rejected', async () => {
  const guard = eventLoopGuard({ maxDelay: 40 });
  expect(guard.stats?.()).toEqual({ delay: 0, shedding: 0 });
  await new Promise((resolve) => setTimeout(resolve));
  guard.admits('normal');
  const end = performance.now() + 100;
  while (performance.now() < end);
  guard.admits('normal');
  // The earlier of the two requests counts a little less.
  expect(guard.stats?.().shedding).toBeCloseTo(0.5, 0);
  expect(guard.stats?.().shedding).toBeLessThan(1);
  await new Promise((resolve) => setTimeout(resolve));
  guard.admits('normal');
  await new Promise((resolve) => setTimeout(resolve, 60));
  guard.admits('normal');
  expect(guard.stats?.().delay).toBeGreaterThan(40);
});

it.each([
  ['maxDelay', 0],
  ['maxDelay', -1],
  ['maxDelay', '50'],
  ['maxDelay', Number.NaN],
  ['name', ''],
])('throws for %s: %s', (option, value) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option };
  expect(() => eventLoopGuard({ [option]: value })).toThrow(expect.objectContaining(error));
});

it('throws for an unknown option', () => {
  const error = { code: 'ERR_HEADGATE_UNKNOWN_OPTION', option: 'maxLag' };
  expect(() => eventLoopGuard({ maxLag: 50 } as never)).toThrow(expect.objectContaining(error));
});

it('throws with a code on runtimes that do not measure their event loop, such as Bun and Deno', () => {
  const timing = vi.spyOn(performance, 'nodeTiming', 'get').mockReturnValue({} as never);
  onTestFinished(() => timing.mockRestore());
  expect(() => eventLoopGuard()).toThrow(
    expect.objectContaining({
      code: 'ERR_HEADGATE_RUNTIME',
      message: expect.stringMatching(/guard/),
    }),
  );
});
