import { type Caller, call } from '@headgate/test-kit/caller';
import { JumpingClock } from '@headgate/test-kit/jumping-clock';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { adaptive, createGate, createLimiter, defaultLimit, type Permit } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function scene({ limit = 10, queueTimeout = 60_000 } = {}) {
  const clock = new VirtualClock({ random: () => 0 });
  const limiter = createLimiter({ limit, queueLimit: 100, queueTimeout, clock });
  const ask = (count: number) => Array.from({ length: count }, () => call(limiter));
  return { clock, limiter, ask };
}

const admitted = (callers: readonly Caller[]) =>
  callers.filter(({ permit }) => permit !== undefined).length;

describe('pauseFor()', () => {
  it('admits no request until the pause ends, and then ever more', () => {
    const { clock, limiter, ask } = scene();
    limiter.pauseFor(2_000);
    const waiting = ask(20);
    expect(limiter.tryAcquire()).toBeUndefined();
    clock.advance(1_999);
    expect([admitted(waiting), limiter.stats().pausedFor]).toEqual([0, 1]);
    const counts = [1, 500, 500, 500, 400].map((time) => {
      clock.advance(time);
      return admitted(waiting);
    });
    expect(counts).toEqual([1, 3, 6, 8, 10]);
    // Only the timer of the deadlines is left.
    expect(clock.armed).toBe(1);
    expect([limiter.stats().pausedFor, limiter.inflight]).toEqual([undefined, 10]);
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
    limiter.pauseFor(20_000);
    const { rejection } = call(limiter);
    expect(rejection).toMatchObject({ reason: 'overloaded', limitName: 'unnamed', waited: 0 });
    expect(rejection?.retryAfter).toBeGreaterThan(20);
    expect(rejection?.retryAfter).toBeLessThan(24);
    const patient = call(limiter, { queueTimeout: 30_000 });
    clock.advance(15_001);
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

  it('pauses again while the limit returns', () => {
    const { clock, limiter, ask } = scene();
    limiter.pauseFor(1_000);
    const waiting = ask(10);
    clock.advance(1_500);
    const before = admitted(waiting);
    expect(before).toBeGreaterThan(0);
    limiter.pauseFor(1_000);
    clock.advance(999);
    expect(admitted(waiting)).toBe(before);
  });

  it.each([0, 10, 'soon'])(
    'does not let the limit return sooner after another pause: %s',
    (pause) => {
      const { clock, limiter, ask } = scene();
      limiter.pauseFor(1_000);
      const waiting = ask(10);
      clock.advance(1_100);
      limiter.pauseFor(pause);
      clock.advance(400);
      expect(admitted(waiting)).toBeLessThan(8);
      clock.advance(500);
      expect(admitted(waiting)).toBe(10);
    },
  );

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
    for (const field of ['soon', '', '-1', '1e400', 'NaN']) limiter.pauseFor(field);
    for (const value of [-1, Number.NaN, Number('soon')]) limiter.pauseFor(value);
    expect(limiter.stats().pausedFor).toBeUndefined();
    expect(call(limiter).answers).toBe(1);
  });

  it('never lasts longer than an hour', () => {
    const { limiter } = scene();
    limiter.pauseFor('99999999');
    expect(limiter.stats().pausedFor).toBe(3_600_000);
  });

  it('throws for a keyed limiter, and has no effect on a closed one', async () => {
    const error = { code: 'ERR_HEADGATE_UNSUPPORTED' };
    const keyed = createLimiter({ limit: 1, perKey: true });
    expect(() => keyed.pauseFor(1)).toThrow(expect.objectContaining(error));
    const { limiter } = scene();
    await limiter.close();
    limiter.pauseFor(1_000);
    expect(limiter.stats().pausedFor).toBeUndefined();
  });

  it('needs a timer only while requests wait', async () => {
    const { clock, limiter } = scene();
    limiter.pauseFor(1_000);
    expect(clock.armed).toBe(0);
    const waiting = call(limiter);
    expect(clock.armed).toBe(2);
    limiter.withdraw(waiting);
    expect(clock.armed).toBe(0);
    call(limiter);
    await limiter.close();
    expect(clock.armed).toBe(0);
  });

  it('withholds the whole of a limit that is raised meanwhile', () => {
    const { clock, limiter, ask } = scene();
    limiter.pauseFor(1_000);
    const waiting = ask(30);
    limiter.setLimit(30);
    expect(admitted(waiting)).toBe(0);
    clock.advance(2_000);
    expect(admitted(waiting)).toBe(30);
  });

  it('delays a heavy request until enough of the limit has returned', () => {
    const { clock, limiter } = scene();
    limiter.pauseFor(1_000);
    const heavy = call(limiter, { weight: 10 });
    clock.advance(1_899);
    expect(heavy.answers).toBe(0);
    clock.advance(1);
    expect(heavy.answers).toBe(1);
  });

  it('withholds nothing in shadow mode', () => {
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
    clock.advance(2_000);
    expect(order).toEqual(['first', 'second', 'third']);
  });
});
