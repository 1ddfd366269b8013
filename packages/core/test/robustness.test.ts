import { Caller, call, type Wishes } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGate, createLimiter, Waiter } from '../src/index.ts';
import { warnOnce } from '../src/warning.ts';
import { askGate } from './ask-gate.ts';

it('a waiter needs only granted() and rejected()', () => {
  const answers: string[] = [];
  class Plain extends Waiter {
    granted(): void {
      answers.push('granted');
    }
    rejected(): void {
      answers.push('rejected');
    }
  }
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  const held = limiter.tryAcquire();
  limiter.request(new Plain());
  limiter.request(new Plain());
  expect(answers).toEqual(['rejected']);
  held?.release();
  expect(answers).toEqual(['rejected', 'granted']);
});

it('a limiter whose clock throws does not block other limiters, and grants again once its clock works', async () => {
  class Broken extends VirtualClock {
    broken = false;
    override now(): number {
      if (this.broken) throw new Error('clock');
      return super.now();
    }
  }
  const clock = new Broken();
  const broken = createLimiter({ limit: 1, queueLimit: 9, clock });
  const whole = createLimiter({ limit: 1, queueLimit: 9 });
  const held = [broken.tryAcquire(), whole.tryAcquire()];
  const callers = [call(broken), call(whole)];
  clock.broken = true;
  const errors = await uncaughtIn(() => held[0]?.release());
  expect(errors).toMatchObject([{ message: 'clock' }]);
  held[1]?.release();
  expect(callers[1]?.answers).toBe(1);
  clock.broken = false;
  broken.setLimit(2);
  expect(callers[0]?.permit).toBeDefined();
});

it('the permit of a waiter is released even if the clock throws meanwhile', async () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 9, clock });
  const held = limiter.tryAcquire();
  const [first, second] = [call(limiter), call(limiter)];
  held?.release();
  let isBroken = true;
  clock.now = () => {
    if (isBroken) throw new Error('clock');
    return 2000;
  };
  const errors = await uncaughtIn(() => first?.permit?.release());
  expect(errors).not.toEqual([]);
  expect(limiter.inflight).toBe(0);
  isBroken = false;
  limiter.setLimit(2);
  expect(second?.permit).toBeDefined();
});

describe('a request whose deadline passes between two limits', () => {
  /** The app's queue is full with a waiter that is late by then, and whose rejection takes time. */
  function between(limit: number, onRejected: (ask: () => Caller, leave: () => void) => void) {
    const clock = new VirtualClock();
    const app = createLimiter({ name: 'app', limit, queueLimit: 1, clock });
    const limits = [{ name: 'user', limit: 1, perKey: true }, { limiter: app }];
    const gate = createGate({ limits, queueLimit: 1, queueTimeout: 100, clock });
    const ask = (key: string | undefined, weight: number) => {
      const caller = new Caller();
      const user = key === undefined ? undefined : { key, weight: 1 };
      askGate(gate, caller, [user, weight === 0 ? undefined : { weight }]);
      return caller;
    };
    app.tryAcquire();
    const late = () => {
      clock.busy(50);
      onRejected(
        () => ask(undefined, 1),
        () => gate.withdraw(caller),
      );
    };
    call(app, { weight: limit, queueTimeout: 50, onRejected: late });
    const holder = ask('a', 0);
    const caller = ask('a', 1);
    clock.busy(60);
    holder.permit?.release();
    return { app, gate, caller };
  }

  it('times out at the next limit if it has to wait there', () => {
    let newcomer: Caller | undefined;
    const { caller, gate } = between(1, (ask) => (newcomer = ask()));
    expect(newcomer?.rejection).toMatchObject({ reason: 'full' });
    expect(caller.rejection).toMatchObject({ reason: 'timeout', waited: 110 });
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, limits: [{ keys: 0 }, {}] });
  });

  it('keeps no permit and gets no answer if it is withdrawn there', () => {
    const { app, caller, gate } = between(2, (_, leave) => leave());
    expect(caller.answers).toBe(0);
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, withdrawn: 1 });
    expect([app.inflight, gate.stats().limits[0]?.keys]).toEqual([1, 0]);
  });

  it("gets no answer if another waiter's timeout withdraws it there", () => {
    const clock = new VirtualClock();
    const app = createLimiter({ name: 'app', limit: 1, queueLimit: 1, clock });
    const limits = [{ name: 'user', limit: 1, perKey: true }, { limiter: app }];
    const gate = createGate({ limits, queueLimit: 2, queueTimeout: 100, clock });
    const ask = (key: string, weight: number, wishes?: Wishes) => {
      const caller = new Caller(wishes);
      askGate(gate, caller, [{ key, weight: 1 }, weight === 0 ? undefined : { weight }]);
      return caller;
    };
    app.tryAcquire();
    let newcomer: Caller | undefined;
    const onRejected = () => {
      clock.busy(50);
      newcomer = ask('c', 1);
    };
    call(app, { queueTimeout: 50, onRejected });
    const holders = [ask('a', 0), ask('b', 0)];
    const caller = ask('a', 1);
    const other = ask('b', 1, { queueTimeout: 105, onRejected: () => gate.withdraw(caller) });
    clock.busy(60);
    holders[0]?.permit?.release();
    expect([caller.answers, other.rejection?.reason, newcomer?.answers]).toEqual([0, 'timeout', 0]);
    expect(gate.stats()).toMatchObject({ queued: 1, withdrawn: 1, rejected: { timeout: 1 } });
    clock.advance(100);
    expect(newcomer?.rejection).toMatchObject({ reason: 'timeout', waited: 100 });
    expect(clock.armed).toBe(0);
  });

  it('times out even if the next limit has capacity', () => {
    const { app, caller, gate } = between(2, () => {});
    expect(caller.rejection).toMatchObject({ reason: 'timeout', waited: 110 });
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, limits: [{ keys: 0 }, {}] });
    expect(app.inflight).toBe(1);
  });
});

it('a warning goes to the console if the runtime has no emitWarning', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { emitWarning } = process;
  Object.assign(process, { emitWarning: undefined });
  try {
    warnOnce('HEADGATE_TEST', 'once');
    warnOnce('HEADGATE_TEST', 'once');
  } finally {
    Object.assign(process, { emitWarning });
  }
  expect(warn.mock.calls).toEqual([
    ['HEADGATE_TEST: once (@headgate/core/docs/errors.md, HEADGATE_TEST)'],
  ]);
});
