import { expect, it } from 'vitest';
import {
  createGate,
  createLimiter,
  type GateOptions,
  type Guard,
  type Priority,
  type Rejection,
} from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { Caller } from '../caller.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** Lets in what the test says, and notes who has asked. */
class Sentry implements Guard {
  readonly name = 'sentry';
  readonly asked: Priority[] = [];
  lowest: Priority[] = [];

  admits(priority: Priority): boolean {
    this.asked.push(priority);
    return !this.lowest.includes(priority);
  }
}

function guarded(options: Partial<GateOptions> = {}) {
  const guard = new Sentry();
  const reports: { rejection: Rejection; shadow: boolean; name: string }[] = [];
  const observer = { rejected: (event: (typeof reports)[number]) => reports.push(event) };
  const clock = new VirtualClock();
  const random = () => 0;
  const limits = [{ name: 'app', limit: 1 }];
  return {
    guard,
    reports,
    gate: createGate({ limits, guard, observer, clock, random, ...options }),
  };
}

it.each([
  ['one limit', {}],
  [
    'several',
    {
      limits: [
        { name: 'user', limit: 1, perKey: true },
        { name: 'app', limit: 1 },
      ],
    },
  ],
  ['none', { limits: [] }],
])('turns away whom the guard does not admit, before a gate of %s', async (_, options) => {
  const { guard, gate, reports } = guarded(options);
  guard.lowest = ['normal'];
  const rejection = { reason: 'overloaded', limit: 'sentry', queued: 0, waited: 0, retryAfter: 1 };
  await expect(gate.acquire()).rejects.toMatchObject({ rejection });
  await expect(gate.run(() => 'done')).rejects.toMatchObject({ rejection });
  expect(reports).toEqual([
    { name: gate.name, rejection, shadow: false },
    { name: gate.name, rejection, shadow: false },
  ]);
  expect(gate.stats()).toMatchObject({ inflight: 0, admitted: 0, rejected: { overloaded: 2 } });
  guard.lowest = [];
  expect(await gate.run(() => gate.inflight)).toBe(1);
  expect(gate.stats()).toMatchObject({ inflight: 0, admitted: 1 });
});

it('tells the guard of which class a request is, once for each', async () => {
  const { guard, gate } = guarded({ queueLimit: 2 });
  const permit = await gate.acquire({ priority: 'critical' });
  const waiting = gate.acquire();
  permit.release();
  (await waiting).release();
  expect(guard.asked).toEqual(['critical', 'normal']);
});

it('answers a waiter, and lets it ask again', () => {
  const { guard, gate } = guarded();
  const caller = new Caller();
  guard.lowest = ['normal'];
  askGate(gate, caller, [{ weight: 1 }]);
  expect(caller.rejection).toMatchObject({ reason: 'overloaded', limit: 'sentry' });
  guard.lowest = [];
  askGate(gate, caller, [{ weight: 1 }]);
  expect(caller.permit?.weight).toBe(1);
  expect(caller.answers).toBe(2);
});

it('leaves those who wait to the limits, and lets them withdraw', async () => {
  const { guard, gate } = guarded({ queueLimit: 2 });
  const permit = await gate.acquire();
  const abort = new AbortController();
  const waiting = gate.acquire({ signal: abort.signal });
  guard.lowest = ['normal'];
  expect(gate.queued).toBe(1);
  abort.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(gate.stats()).toMatchObject({ queued: 0, withdrawn: 1, rejected: { overloaded: 0 } });
  permit.release();
});

it('does not ask for those who have gone already', async () => {
  const { guard, gate } = guarded();
  await expect(gate.acquire({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
    'gone',
  );
  expect(guard.asked).toEqual([]);
});

it('says that it is closed, whatever the guard says', async () => {
  const { guard, gate } = guarded();
  guard.lowest = ['normal'];
  expect(await gate.close()).toBe(0);
  await expect(gate.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});

it('counts those in flight where there is no limit, too, and waits for them to close', async () => {
  const { gate } = guarded({ limits: [] });
  const permits = [await gate.acquire(), await gate.acquire()];
  expect([gate.name, gate.inflight]).toEqual(['sentry', 2]);
  const closed = gate.close();
  for (const permit of permits) permit.release();
  expect(await closed).toBe(0);
});

it('in shadow mode reports, and lets pass', async () => {
  const { guard, gate, reports } = guarded({ mode: 'shadow' });
  guard.lowest = ['normal'];
  const permit = await gate.acquire();
  expect(reports).toMatchObject([{ shadow: true, rejection: { reason: 'overloaded' } }]);
  expect(gate.stats()).toMatchObject({ inflight: 1, rejected: { overloaded: 1 } });
  permit.release();
});

it('one guard may stand before several gates', async () => {
  const { guard, gate } = guarded();
  const other = createGate({ limits: [{ limiter: createLimiter({ limit: 1 }) }], guard });
  guard.lowest = ['low'];
  for (const each of [gate, other]) {
    await expect(each.acquire({ priority: 'low' })).rejects.toMatchObject({
      rejection: { limit: 'sentry' },
    });
    (await each.acquire()).release();
  }
});

it('sends those who are turned away over and over further into the future', async () => {
  const clock = new VirtualClock();
  const { guard, gate } = guarded({ clock });
  guard.lowest = ['normal'];
  const seconds: number[] = [];
  for (let second = 0; second < 4; second++) {
    for (let index = 0; index < 9; index++) {
      const caller = new Caller({ onRejected: ({ retryAfter }) => seconds.push(retryAfter) });
      askGate(gate, caller, [{ weight: 1 }]);
    }
    clock.advance(1000);
  }
  expect(Math.max(...seconds)).toBeGreaterThan(Math.min(...seconds));
});

it.each([
  ['guard', { guard: 5 }],
  ['guard', { guard: { name: 'sentry' } }],
  ['guard', { guard: null }],
  ['guard.name', { guard: { admits: () => true } }],
  ['limits', { limits: [], guard: undefined }],
])('refuses a %s that is none', (option, options) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option };
  expect(() => guarded(options as never)).toThrow(expect.objectContaining(error));
});

it('refuses a guard with the name of a limit', () => {
  const error = { code: 'ERR_HEADGATE_DUPLICATE_NAME' };
  const limits = [{ name: 'sentry', limit: 1 }];
  expect(() => guarded({ limits })).toThrow(expect.objectContaining(error));
});

it('refuses a guard that does not say yes or no: a promise would let everybody in', async () => {
  const guard = { name: 'slow', admits: async () => false };
  const gate = createGate({ guard: guard as never, limits: [{ name: 'app', limit: 1 }] });
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'guard.admits' };
  await expect(gate.acquire()).rejects.toMatchObject(error);
  expect(gate.inflight).toBe(0);
});
