import { call } from '@headgate/test-kit/caller';
import { expect, it, vi } from 'vitest';
import { createGate, createLimiter } from '../../src/index.ts';
import { scene } from './scene.ts';

it('the wait at an earlier limit of a gate does not count as a wait at the default limit', async () => {
  const { loop, limiter, measure } = scene();
  measure(1);
  const reports = createLimiter({ name: 'reports', limit: 1, clock: loop });
  const limits = [{ limiter: reports }, { limiter }];
  const gate = createGate({ limits, queueTimeout: 10_000, clock: loop });
  const running = reports.tryAcquire();
  const report = vi.fn();
  const asked = gate.run(report);
  loop.rest(2000);
  // This turn is full, so the report must wait for the next one.
  const others = Array.from({ length: 10 }, () => call(limiter));
  running?.release();
  expect(limiter.queued).toBe(6);
  expect(report).not.toHaveBeenCalled();
  for (const { permit } of others) permit?.release();
  loop.poll();
  loop.poll();
  await asked;
  expect(report).toHaveBeenCalledOnce();
});
