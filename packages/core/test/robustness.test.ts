import { expect, it, vi } from 'vitest';
import { createGate, createLimiter, Waiter } from '../src/index.ts';
import { warnOnce } from '../src/warning.ts';
import { askGate } from './ask-gate.ts';
import { Caller, call } from './caller.ts';
import { uncaughtIn } from './uncaught.ts';
import { VirtualClock } from './virtual-clock.ts';

it('a waiter needs no more than its two answers', () => {
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

it('what fails in one limiter stops no other one', async () => {
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
  expect(callers.map(({ answers }) => answers)).toEqual([0, 1]);
  clock.broken = false;
  call(broken);
  broken.setLimit(2);
  expect(callers[0]?.permit).toBeDefined();
});

it('a request whose time is up between two limits is turned away at the next', () => {
  const clock = new VirtualClock();
  const app = createLimiter({ name: 'app', limit: 1, queueLimit: 1, clock });
  const limits = [{ name: 'user', limit: 1, perKey: true }, { limiter: app }];
  const gate = createGate({ limits, queueLimit: 1, queueTimeout: 100, clock });
  const ask = (key?: string, weight?: number) => {
    const caller = new Caller();
    askGate(gate, caller, [
      key === undefined ? undefined : { key, weight: 1 },
      weight ? { weight } : undefined,
    ]);
    return caller;
  };
  app.tryAcquire();
  let newcomer: Caller | undefined;
  call(app, {
    queueTimeout: 50,
    onRejected: () => {
      clock.busy(50);
      newcomer = ask(undefined, 1);
    },
  });
  const holder = ask('a');
  const between = ask('a', 1);
  clock.busy(60);
  // It passes the first limit, and makes the line of the second turn the late one away, which takes its time.
  holder.permit?.release();
  expect(newcomer?.rejection).toMatchObject({ reason: 'full' });
  expect(between.rejection).toMatchObject({ reason: 'timeout', waited: 110 });
  expect(gate.stats()).toMatchObject({ inflight: 0, queued: 0, limits: [{ keys: 0 }, {}] });
});

it('where the runtime has no emitWarning, a warning goes to the console', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { emitWarning } = process;
  Object.assign(process, { emitWarning: undefined });
  try {
    warnOnce('HEADGATE_TEST', 'once');
    warnOnce('HEADGATE_TEST', 'once');
  } finally {
    Object.assign(process, { emitWarning });
  }
  expect(warn.mock.calls).toEqual([['HEADGATE_TEST: once (docs/errors.md, HEADGATE_TEST)']]);
  warn.mockRestore();
});
