import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, type GateOptions, type Rejection } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function shadowGate(options: Partial<GateOptions> = {}) {
  const clock = new VirtualClock({ random: () => 0 });
  const reports: Rejection[] = [];
  const observer = {
    rejected: (event: { rejection: Rejection; shadow: boolean }) => {
      expect(event.shadow).toBe(true);
      reports.push(event.rejection);
    },
  };
  const limits = [{ name: 'app', limit: 2 }];
  const common = { limits, queueLimit: 0, clock };
  const gate = createGate({ ...common, mode: 'shadow', ...options });
  gate.observe(observer);
  return { clock, gate, reports };
}

it('shadow mode admits every request and reports what would have been rejected', async () => {
  const { gate, reports } = shadowGate();
  const permits = [await gate.acquire(), await gate.acquire()];
  expect(reports).toEqual([]);
  permits.push(await gate.acquire());
  expect(reports).toEqual([
    { reason: 'full', limitName: 'app', queued: 0, waited: 0, retryAfter: 1 },
  ]);
  expect(gate.stats()).toMatchObject({ holders: 3, queued: 0, wouldReject: { full: 1 } });
  for (const permit of permits) permit.release();
  expect(gate.stats()).toMatchObject({ holders: 0, limits: [{ inflight: 0 }] });
});

it('shadow mode queues no request, and reports those that would have been queued for too long', async () => {
  const { clock, gate, reports } = shadowGate({ queueLimit: 2 });
  for (let index = 0; index < 5; index++) await gate.acquire();
  clock.advance(10_000);
  const full = { reason: 'full', limitName: 'app', waited: 0 };
  expect(reports).toMatchObject([full]);
  expect([gate.queued, gate.holders, clock.armed]).toEqual([0, 5, 0]);
  await gate.acquire();
  const timeout = { reason: 'timeout', limitName: 'app', waited: 2000 };
  expect(reports).toMatchObject([full, timeout, timeout]);
});

it('shadow mode reports the first limit that would have rejected, even by its own queueLimit', async () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true, queueLimit: 0 },
    { name: 'app', limit: 1 },
  ];
  const { gate, reports } = shadowGate({ limits, queueLimit: 1 });
  const keys = ['a', 'b', 'a', 'c'];
  for (const user of keys) await gate.acquire({ keys: { user } });
  expect(reports.map(({ limitName: limit }) => limit)).toEqual(['user', 'app']);
});

it('shadow mode does not acquire a limit that does not apply', async () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit: 1 },
  ];
  const { gate, reports } = shadowGate({ limits });
  await gate.acquire({ keys: { user: 'a' } });
  const permit = await gate.acquire();
  expect(gate.stats().limits.map(({ inflight }) => inflight)).toEqual([1, 2]);
  expect(reports.map(({ limitName: limit }) => limit)).toEqual(['app']);
  permit.release();
  expect(gate.stats().limits.map(({ inflight }) => inflight)).toEqual([1, 1]);
});

it('shadow mode counts requests regardless of their weight', async () => {
  const { gate, reports } = shadowGate({ limits: [{ name: 'app', limit: 4 }], queueLimit: 1 });
  const acquire = () => gate.acquire({ weights: { app: 4 } });
  await acquire();
  await acquire();
  expect(reports).toEqual([]);
  await acquire();
  expect(reports).toHaveLength(1);
});

it('a closed gate in shadow mode rejects no request, and close() waits for the permits', async () => {
  const { gate } = shadowGate();
  const first = await gate.acquire();
  const closed = gate.close();
  const second = await gate.acquire();
  first.release();
  second.release();
  expect(await closed).toBe(0);
});

it('a closed gate in shadow mode rejects no request, with several limits or none', async () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit: 1 },
  ];
  const guard = { name: 'sentry', admits: () => true };
  for (const options of [{ limits }, { limits: [], guard, queueLimit: undefined }]) {
    const { gate } = shadowGate(options);
    const keys = Object.keys(gate.limiters).length === 0 ? {} : { user: 'a' };
    const permits = [await gate.acquire({ keys })];
    const closed = gate.close();
    permits.push(await gate.acquire({ keys }), await gate.acquire({ keys }));
    for (const permit of permits) permit.release();
    expect(await closed).toBe(0);
    (await gate.acquire({ keys })).release();
    expect(gate.stats()).toMatchObject({ holders: 0, rejected: { closed: 0 } });
  }
});

it('an invalid demand on one limit keeps no permit of the other limits', async () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'org', limit: 1, perKey: true },
  ];
  const { gate } = shadowGate({ limits });
  const keys = { user: 'a', org: Number.NaN };
  await expect(gate.acquire({ keys })).rejects.toMatchObject({ code: 'ERR_HEADGATE_KEY' });
  const demands = [
    { key: 'a', weight: 1 },
    { key: 'o', weight: Number.NaN },
  ];
  const wrong = expect.objectContaining({ code: 'ERR_HEADGATE_WEIGHT' });
  expect(() => askGate(gate, new Caller(), demands)).toThrow(wrong);
  expect(gate.stats().limits).toMatchObject([
    { inflight: 0, keys: 0 },
    { inflight: 0, keys: 0 },
  ]);
});

it('a waiter whose granted() throws releases all its permits', () => {
  const { gate } = shadowGate();
  const onGranted = () => {
    throw new Error('granted');
  };
  expect(() => askGate(gate, new Caller({ onGranted }), [{ weight: 1 }])).toThrow('granted');
  expect(gate.stats()).toMatchObject({ holders: 0, limits: [{ inflight: 0 }] });
});
