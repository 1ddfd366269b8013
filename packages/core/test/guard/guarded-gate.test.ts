import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter } from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { guarded } from './recording-guard.ts';

it.each([
  ['one limit', {}],
  [
    'several limits',
    {
      limits: [
        { name: 'user', limit: 1, perKey: true },
        { name: 'app', limit: 1 },
      ],
    },
  ],
  ['no limit', { limits: [] }],
])('rejects requests that the guard does not admit, before a gate of %s', async (_, options) => {
  const { guard, gate, reports } = guarded(options);
  guard.rejects = ['normal'];
  const rejection = {
    reason: 'overloaded',
    limitName: 'sentry',
    queued: 0,
    waited: 0,
    retryAfter: 1,
  };
  await expect(gate.acquire()).rejects.toMatchObject({ rejection });
  await expect(gate.run(() => 'done')).rejects.toMatchObject({ rejection });
  const report = { name: gate.name, request: {}, rejection, shadow: false };
  expect(reports).toEqual([report, report]);
  expect(gate.stats()).toMatchObject({ holders: 0, admitted: 0, rejected: { overloaded: 2 } });
  guard.rejects = [];
  expect(await gate.run(() => gate.holders)).toBe(1);
  expect(gate.stats()).toMatchObject({ holders: 0, admitted: 1 });
});

it('a gate passes the priority of each request to its guard once', async () => {
  const { guard, gate } = guarded({ queueLimit: 2 });
  const permit = await gate.acquire({ priority: 'critical' });
  const waiting = gate.acquire();
  permit.release();
  (await waiting).release();
  expect(guard.asked).toEqual(['critical', 'normal']);
});

it('a waiter that the guard has rejected may make another request', () => {
  const { guard, gate } = guarded();
  const caller = new Caller();
  guard.rejects = ['normal'];
  askGate(gate, caller, [{ weight: 1 }]);
  expect(caller.rejection).toMatchObject({ reason: 'overloaded', limitName: 'sentry' });
  guard.rejects = [];
  askGate(gate, caller, [{ weight: 1 }]);
  expect(caller.permit?.weight).toBe(1);
  expect(caller.answers).toBe(2);
});

it('a request that the guard has admitted is queued by the limits and can be withdrawn', async () => {
  const { guard, gate } = guarded({ queueLimit: 2 });
  const permit = await gate.acquire();
  const abort = new AbortController();
  const waiting = gate.acquire({ signal: abort.signal });
  guard.rejects = ['normal'];
  expect(gate.queued).toBe(1);
  abort.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(gate.stats()).toMatchObject({ queued: 0, withdrawn: 1, rejected: { overloaded: 0 } });
  permit.release();
});

it('a gate does not ask its guard about aborted requests', async () => {
  const { guard, gate } = guarded();
  await expect(gate.acquire({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
    'gone',
  );
  expect(guard.asked).toEqual([]);
});

it('a closed gate rejects as closed, whatever its guard decides', async () => {
  const { guard, gate } = guarded();
  guard.rejects = ['normal'];
  expect(await gate.close()).toBe(0);
  await expect(gate.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});

it('a gate without limits counts requests in flight, and close() waits for them', async () => {
  const { gate } = guarded({ limits: [] });
  const permits = [await gate.acquire(), await gate.acquire()];
  expect([gate.name, gate.holders]).toEqual(['sentry', 2]);
  const closed = gate.close();
  for (const permit of permits) permit.release();
  expect(await closed).toBe(0);
});

it('several gates can share one guard', async () => {
  const { guard, gate } = guarded();
  const other = createGate({ limits: [{ limiter: createLimiter({ limit: 1 }) }], guard });
  guard.rejects = ['low'];
  for (const each of [gate, other]) {
    await expect(each.acquire({ priority: 'low' })).rejects.toMatchObject({
      rejection: { limitName: 'sentry' },
    });
    (await each.acquire()).release();
  }
});

it('an observer that is added later receives what the guard and the limits report', () => {
  const { gate, guard } = guarded({ queueLimit: 0 });
  const reasons: string[] = [];
  const stop = gate.observe({
    admitted: () => void reasons.push('admitted'),
    rejected: ({ rejection }) => void reasons.push(rejection.reason),
  });
  const ask = () => askGate(gate, new Caller(), [{ weight: 1 }]);
  ask();
  ask();
  guard.rejects = ['normal'];
  ask();
  stop();
  ask();
  expect(reasons).toEqual(['admitted', 'full', 'overloaded']);
});

it('Retry-After is when the guard will have admitted those that it has rejected before', () => {
  const clock = new VirtualClock({ random: () => 0.5 });
  const { guard, gate } = guarded({ limits: [], clock });
  const ask = () => {
    const caller = new Caller();
    askGate(gate, caller, []);
    return caller;
  };
  // Ten requests per second are admitted, and one in two rejected.
  for (let index = 0; index < 55; index++) {
    guard.rejects = [];
    ask().permit?.release();
    guard.rejects = ['normal'];
    ask();
    clock.advance(100);
  }
  const rejections = Array.from({ length: 95 }, () => ask().rejection?.retryAfter);
  expect([rejections[0], rejections[44], rejections[94]]).toEqual([2, 6, 11]);
});
