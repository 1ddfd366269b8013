import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import {
  createGate,
  createLimiter,
  type GateOptions,
  type Guard,
  type Observer,
  type Priority,
  type Rejection,
} from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { Caller } from '../caller.ts';
import { collectWarnings } from '../warnings.ts';

/** Rejects the priorities that the test sets, and records each call. */
class RecordingGuard implements Guard {
  readonly name = 'sentry';
  readonly asked: Priority[] = [];
  rejects: Priority[] = [];

  admits(priority: Priority): boolean {
    this.asked.push(priority);
    return !this.rejects.includes(priority);
  }
}

function guarded(options: Partial<GateOptions> = {}) {
  const guard = new RecordingGuard();
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
  expect(gate.stats()).toMatchObject({ inflight: 0, admitted: 0, rejected: { overloaded: 2 } });
  guard.rejects = [];
  expect(await gate.run(() => gate.inflight)).toBe(1);
  expect(gate.stats()).toMatchObject({ inflight: 0, admitted: 1 });
});

it('stats() has the state of the guard, and at least its name', () => {
  const { gate, guard } = guarded();
  expect(gate.stats().guard).toEqual({ name: 'sentry' });
  const stats = () => ({ delay: 12, shedding: 0.5 });
  const measured = guarded({ guard: Object.assign(guard, { stats }) });
  expect(measured.gate.stats().guard).toEqual({ name: 'sentry', delay: 12, shedding: 0.5 });
  expect(createGate({ limits: [{ name: 'app', limit: 1 }] }).stats().guard).toBeUndefined();
});

it('stats() has at least the name of a guard whose own stats() throws, and warns until it has worked again', () => {
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

it('a guard is switched to shadow mode and back at run time, in its own gate only', async () => {
  const events: unknown[] = [];
  const { gate, guard } = guarded({ observer: { operated: (event) => events.push(event) } });
  const other = createGate({ limits: [], guard });
  guard.rejects = ['normal'];
  expect(gate.guard).toMatchObject({ name: 'sentry', mode: 'enforce' });
  expect(gate.guard?.operations).toEqual(['shadow', 'enforce']);
  for (const _ of [1, 2]) gate.guard?.shadow();
  expect([gate.guard?.mode, other.guard?.mode]).toEqual(['shadow', 'enforce']);
  expect(await gate.run(() => 'done')).toBe('done');
  await expect(other.run(() => 'done')).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
  expect(gate.stats()).toMatchObject({ admitted: 1, rejected: { overloaded: 1 } });
  gate.guard?.enforce();
  await expect(gate.run(() => 'done')).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
  const name = 'sentry';
  expect(events).toEqual([
    { name, operation: 'shadow', limit: undefined },
    { name, operation: 'enforce', limit: undefined },
  ]);
  expect(createGate({ limits: [{ name: 'app', limit: 1 }] }).guard).toBeUndefined();
});

it('a guard in shadow mode does not start that of its limits', async () => {
  const { gate, guard } = guarded();
  guard.rejects = ['normal'];
  gate.guard?.shadow();
  const permits = [await gate.acquire()];
  expect(gate.limits[0]?.limiter.mode).toBe('enforce');
  permits[0]?.release();
  guard.rejects = [];
  gate.guard?.enforce();
  expect(await gate.run(() => gate.inflight)).toBe(1);
});

it('a closed gate without limits admits requests in the shadow mode that was started before, and cannot be switched', async () => {
  const { guard } = guarded();
  const [enforcing, shadow] = [
    createGate({ limits: [], guard }),
    createGate({ limits: [], guard }),
  ];
  shadow.guard?.shadow();
  for (const gate of [enforcing, shadow]) await gate.close();
  await expect(enforcing.run(() => 'done')).rejects.toMatchObject({
    rejection: { reason: 'closed' },
  });
  expect(await shadow.run(() => 'done')).toBe('done');
  const code = 'ERR_HEADGATE_UNSUPPORTED';
  const text = expect.stringContaining(
    'guard "sentry" does not support enforce: its gate is closed',
  );
  expect(() => shadow.guard?.enforce()).toThrow(expect.objectContaining({ code, message: text }));
  expect(() => enforcing.guard?.shadow()).toThrow(expect.objectContaining({ code }));
});

it('an observer that is added later receives what the guard and the limits report', () => {
  const { gate, guard } = guarded();
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

it('passes the priority of each request to the guard, once', async () => {
  const { guard, gate } = guarded({ queueLimit: 2 });
  const permit = await gate.acquire({ priority: 'critical' });
  const waiting = gate.acquire();
  permit.release();
  (await waiting).release();
  expect(guard.asked).toEqual(['critical', 'normal']);
});

it('rejects a waiter, which may request again', () => {
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

it('leaves queued requests to the limits, and lets them withdraw', async () => {
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

it('does not ask the guard for aborted requests', async () => {
  const { guard, gate } = guarded();
  await expect(gate.acquire({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
    'gone',
  );
  expect(guard.asked).toEqual([]);
});

it('rejects as closed after close(), whatever the guard decides', async () => {
  const { guard, gate } = guarded();
  guard.rejects = ['normal'];
  expect(await gate.close()).toBe(0);
  await expect(gate.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});

it('counts requests in flight even without a limit, and close() waits for them', async () => {
  const { gate } = guarded({ limits: [] });
  const permits = [await gate.acquire(), await gate.acquire()];
  expect([gate.name, gate.inflight]).toEqual(['sentry', 2]);
  const closed = gate.close();
  for (const permit of permits) permit.release();
  expect(await closed).toBe(0);
});

it('in shadow mode reports rejections and admits the requests', async () => {
  const { guard, gate, reports } = guarded({ mode: 'shadow' });
  guard.rejects = ['normal'];
  const permit = await gate.acquire();
  expect(reports).toMatchObject([{ shadow: true, rejection: { reason: 'overloaded' } }]);
  expect(gate.stats()).toMatchObject({ inflight: 1, rejected: { overloaded: 1 } });
  permit.release();
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

it('increases Retry-After while it keeps rejecting', async () => {
  const clock = new VirtualClock();
  const { guard, gate } = guarded({ clock });
  guard.rejects = ['normal'];
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
])('throws for an invalid %s', (option, options) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option };
  expect(() => guarded(options as never)).toThrow(expect.objectContaining(error));
});

it('throws for a guard with the name of a limit', () => {
  const error = { code: 'ERR_HEADGATE_DUPLICATE_NAME' };
  const limits = [{ name: 'sentry', limit: 1 }];
  expect(() => guarded({ limits })).toThrow(expect.objectContaining(error));
});

it('rejects with an error if a guard returns a promise, which would admit every request', async () => {
  const guard = { name: 'slow', admits: async () => false };
  const gate = createGate({ guard: guard as never, limits: [{ name: 'app', limit: 1 }] });
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'guard.admits' };
  await expect(gate.acquire()).rejects.toMatchObject(error);
  expect(gate.inflight).toBe(0);
});

it.each([1, 2])(
  'in shadow mode reports a request once that the guard and the last of %i limits would reject',
  async (count) => {
    const limits = ['one', 'other'].slice(0, count).map((name) => ({ name, limit: 1 }));
    const reports: string[] = [];
    const rejected: Observer['rejected'] = ({ rejection }) => void reports.push(rejection.reason);
    let isOverloaded = false;
    const guard: Guard = { name: 'guard', admits: () => !isOverloaded };
    const gate = createGate({ limits, guard, mode: 'shadow', observer: { rejected } });
    const permits = [await gate.acquire()];
    isOverloaded = true;
    permits.push(await gate.acquire());
    expect(reports).toEqual(['overloaded']);
    expect(gate.stats().rejected).toMatchObject({ overloaded: 1, full: 0 });
    isOverloaded = false;
    permits.push(await gate.acquire());
    expect(reports).toEqual(['overloaded', 'full']);
    expect(gate.stats()).toMatchObject({ admitted: 3, rejected: { overloaded: 1, full: 1 } });
    for (const permit of permits) permit.release();
  },
);
