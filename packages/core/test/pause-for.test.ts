import { type Caller, call } from '@headgate/test-kit/caller';
import { JumpingClock } from '@headgate/test-kit/jumping-clock';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { adaptive, createGate, createLimiter, defaultLimit, type Permit } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function scene(options: { limit?: number; queueTimeout?: number; maxPause?: number } = {}) {
  const clock = new VirtualClock({ random: () => 0 });
  const common = { limit: 10, queueLimit: 100, queueTimeout: 60_000 };
  const limiter = createLimiter({ ...common, ...options, clock });
  const ask = (count: number) => Array.from({ length: count }, () => call(limiter));
  return { clock, limiter, ask };
}

const admitted = (callers: readonly Caller[]) =>
  callers.filter(({ permit }) => permit !== undefined).length;

describe('pauseFor()', () => {
  it('admits no request until the pause ends', () => {
    const { clock, limiter, ask } = scene();
    limiter.pauseFor(2_000);
    const waiting = ask(20);
    expect(limiter.tryAcquire()).toBeUndefined();
    clock.advance(1_999);
    expect([admitted(waiting), limiter.stats().pausedFor]).toEqual([0, 1]);
    clock.advance(1);
    expect([admitted(waiting), limiter.stats().pausedFor]).toEqual([10, undefined]);
    // Only the timer of the deadlines is left.
    expect(clock.armed).toBe(1);
  });

  it.each([
    [0, 7],
    [0, 333],
    [1_000, 7],
    [0.1, 30_000],
    [1_699_999_999_999.7, 333.3],
  ])(
    'ends on a clock that starts at %d and jumps to each timer of a pause of %d ms',
    (start, pause) => {
      const clock = new JumpingClock(start);
      const limiter = createLimiter({ limit: 20, queueTimeout: Number.POSITIVE_INFINITY, clock });
      limiter.pauseFor(pause);
      const waiting = Array.from({ length: 20 }, () => call(limiter));
      clock.run();
      expect(admitted(waiting)).toBe(20);
    },
  );

  it('lets running requests finish, and grants what they release only after the pause', () => {
    const { clock, limiter, ask } = scene({ limit: 2 });
    const running = ask(2);
    const [next] = ask(1);
    limiter.pauseFor(1_000);
    for (const { permit } of running) permit?.release();
    expect(next?.answers).toBe(0);
    clock.advance(1_000);
    expect(next?.answers).toBe(1);
  });

  it('rejects on arrival a request that would time out before the pause ends', () => {
    const { clock, limiter } = scene({ queueTimeout: 5_000 });
    limiter.pauseFor(100_000);
    const { rejection } = call(limiter);
    expect(rejection).toMatchObject({ reason: 'paused', limitName: 'unnamed', waited: 0 });
    // The rest of the pause, and a random part of two seconds.
    expect(rejection?.retryAfter).toBe(101);
    expect(limiter.stats().rejected).toMatchObject({ paused: 1, overloaded: 0 });
    const patient = call(limiter, { queueTimeout: 110_000 });
    clock.advance(95_001);
    const late = call(limiter);
    expect([patient.answers, late.answers]).toEqual([0, 0]);
    clock.advance(5_000);
    expect([patient.answers, late.answers]).toEqual([1, 1]);
  });

  it('is not shortened by a later pause, but extended', () => {
    const { clock, limiter } = scene();
    limiter.pauseFor(1_000);
    limiter.pauseFor(10);
    expect(limiter.stats().pausedFor).toBe(1_000);
    clock.advance(900);
    limiter.pauseFor(3_000);
    expect(limiter.stats().pausedFor).toBe(3_000);
  });

  it.each([
    ['pauseFor(0)', (limiter: ReturnType<typeof createLimiter>) => limiter.pauseFor(0)],
    ['resume()', (limiter: ReturnType<typeof createLimiter>) => limiter.resume()],
    ['shadow()', (limiter: ReturnType<typeof createLimiter>) => limiter.shadow()],
  ])('is ended by %s, which admits the waiters', (_name, end) => {
    const { clock, limiter, ask } = scene({ queueTimeout: 120_000 });
    limiter.pauseFor(100_000);
    const waiting = ask(5);
    expect(admitted(waiting)).toBe(0);
    end(limiter);
    expect([admitted(waiting), limiter.stats().pausedFor, clock.armed]).toEqual([5, undefined, 0]);
  });

  it('no longer counts in Retry-After once it has been ended', () => {
    const { limiter, ask } = scene({ queueTimeout: 1_000 });
    limiter.pauseFor(100_000);
    ask(3);
    limiter.resume();
    limiter.rejectAll();
    expect(call(limiter).rejection).toMatchObject({ reason: 'closed', retryAfter: 1 });
  });

  it('reports its end by resume(), and admits no waiter when pause() or rejectAll() ends it', () => {
    const { limiter, ask } = scene();
    const operations: string[] = [];
    limiter.observe({ operated: ({ operation }) => operations.push(operation) });
    limiter.pauseFor(1_000);
    const waiting = ask(1);
    limiter.pause();
    limiter.resume();
    limiter.resume();
    limiter.pauseFor(1_000);
    limiter.resume();
    limiter.pauseFor(1_000);
    waiting.push(...ask(1));
    limiter.rejectAll();
    expect([operations, admitted(waiting), limiter.stats().pausedFor]).toEqual([
      ['pause', 'resume', 'resume', 'rejectAll'],
      1,
      undefined,
    ]);
  });

  it('takes the value of a Retry-After field', () => {
    const { limiter } = scene();
    limiter.pauseFor('2');
    expect(limiter.stats().pausedFor).toBe(2_000);
    limiter.pauseFor(new Date(Date.now() + 100_000).toUTCString());
    expect(limiter.stats().pausedFor).toBeGreaterThan(90_000);
    limiter.pauseFor('Wed, 21 Oct 2015 07:28:00 GMT');
    expect(limiter.stats().pausedFor).toBeGreaterThan(90_000);
    for (const pause of [null, {}, undefined]) {
      const error = { code: 'ERR_HEADGATE_OPTION', option: 'pause' };
      expect(() => limiter.pauseFor(pause as never)).toThrow(expect.objectContaining(error));
    }
  });

  it('ignores a malformed or negative value, since it comes from another server', () => {
    const { limiter } = scene();
    const ignored = ['soon', '', '-1', '1e400', 'NaN', '0', -1, Number.NaN, Number('soon')];
    for (const value of ignored) limiter.pauseFor(value);
    expect(limiter.stats().pausedFor).toBeUndefined();
    expect(call(limiter).answers).toBe(1);
    limiter.pauseFor(1_000);
    for (const value of ignored) limiter.pauseFor(value);
    expect(limiter.stats().pausedFor).toBe(1_000);
  });

  it('lasts two minutes at most, or as long as maxPause says', () => {
    const { limiter } = scene();
    limiter.pauseFor('99999999');
    expect(limiter.stats().pausedFor).toBe(120_000);
    const short = scene({ maxPause: 500 }).limiter;
    short.pauseFor(Number.POSITIVE_INFINITY);
    expect(short.stats().pausedFor).toBe(500);
    const never = scene({ maxPause: 0 }).limiter;
    never.pauseFor('99999999');
    expect(never.stats().pausedFor).toBeUndefined();
  });

  it('has no effect on a closed limiter', async () => {
    const { limiter } = scene();
    await limiter.close();
    limiter.pauseFor(1_000);
    expect(limiter.stats().pausedFor).toBeUndefined();
  });

  it('leaves no timer when it has ended', () => {
    const { clock, limiter } = scene();
    limiter.pauseFor(1_000);
    limiter.withdraw(call(limiter));
    clock.advance(1_000);
    expect(clock.armed).toBe(0);
  });

  it('holds for a limit that is raised meanwhile', () => {
    const { clock, limiter, ask } = scene();
    limiter.pauseFor(1_000);
    const waiting = ask(30);
    limiter.setLimit(30);
    expect(admitted(waiting)).toBe(0);
    clock.advance(1_000);
    expect(admitted(waiting)).toBe(30);
  });

  it('pauses nothing in shadow mode', () => {
    const { limiter } = scene();
    limiter.shadow();
    limiter.pauseFor(1_000);
    expect(call(limiter).answers).toBe(1);
  });

  it.each([
    ['adaptive()', adaptive()],
    ['defaultLimit()', defaultLimit()],
  ])('pauses %s, and admits again afterwards', (_name, limit) => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit, queueTimeout: 60_000, clock });
    limiter.pauseFor(500);
    const onGranted = (permit: Permit) => permit.release();
    const waiting = [call(limiter, { onGranted }), call(limiter, { onGranted })];
    clock.advance(499);
    expect(admitted(waiting)).toBe(0);
    clock.advance(1_000);
    // How many the default limit admits at once depends on the event loop of the test.
    expect(admitted(waiting)).toBeGreaterThan(0);
  });

  it('does not raise an adaptive limit for the requests that it rejects', () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: adaptive(), queueLimit: 5, queueTimeout: 5_000, clock });
    const { limit } = limiter;
    call(limiter);
    limiter.pauseFor(60_000);
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      call(limiter);
    }
    expect(limiter.limit).toBe(limit);
  });

  it('pauses one limit of a gate, whose requests keep their order', () => {
    const clock = new VirtualClock();
    const limits = [
      { name: 'tenant', limit: 5, perKey: true },
      { name: 'upstream', limit: 10 },
    ];
    const gate = createGate({ limits, queueTimeout: 60_000, clock });
    gate.limiters.upstream?.pauseFor(1_000);
    const order: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      const caller = call(
        { request: (waiter) => askGate(gate, waiter, [{ key: name, weight: 1 }, { weight: 1 }]) },
        { onGranted: () => order.push(name) },
      );
      expect(caller.answers).toBe(0);
    }
    clock.advance(1_000);
    expect(order).toEqual(['first', 'second', 'third']);
  });
});

describe('pauseFor() of a keyed limiter', () => {
  function keyed() {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 1, perKey: true, queueTimeout: 60_000, clock });
    return { clock, limiter };
  }

  it('pauses one key, in use or not, and no other', () => {
    const { clock, limiter } = keyed();
    limiter.pauseFor(1_000, 'a');
    const [one, other] = [call(limiter, { key: 'a' }), call(limiter, { key: 'b' })];
    expect([one.answers, other.answers, limiter.stats().pausedFor]).toEqual([0, 1, 1_000]);
    clock.advance(1_000);
    expect(one.answers).toBe(1);
  });

  it('keeps a paused key until the pause ends, and no longer', () => {
    const { clock, limiter } = keyed();
    limiter.pauseFor(1_000, 7);
    call(limiter, { key: '8' }).permit?.release();
    expect(limiter.stats().keys).toBe(1);
    limiter.withdraw(call(limiter, { key: '7' }));
    expect(limiter.tryAcquire({ key: 7 })).toBeUndefined();
    clock.advance(1_000);
    expect([limiter.stats().keys, clock.armed]).toEqual([0, 0]);
  });

  it('is ended for a key by pauseFor(0), and for all by resume()', () => {
    const { limiter } = keyed();
    for (const key of ['a', 'b', 'c']) limiter.pauseFor(1_000, key);
    limiter.pauseFor(0, 'a');
    limiter.pauseFor(0, 'unknown');
    expect(limiter.stats().keys).toBe(2);
    limiter.resume();
    expect(limiter.stats()).toMatchObject({ keys: 0, pausedFor: undefined });
  });

  it('needs a key, and a limiter without keys must not get one', () => {
    const error = expect.objectContaining({ code: 'ERR_HEADGATE_KEY', option: 'key' });
    const plain = createLimiter({ limit: 1 });
    expect(() => keyed().limiter.pauseFor(1)).toThrow(error);
    expect(() => keyed().limiter.refused(1)).toThrow(error);
    expect(() => plain.pauseFor(1, 'a')).toThrow(error);
    expect(() => plain.refused(1, 'a')).toThrow(error);
    expect(() => plain.pauseFor(1, {} as never)).toThrow(error);
  });
});
