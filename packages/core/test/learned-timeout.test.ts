import { Caller } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { describe, expect, it } from 'vitest';
import { byPriority, byShare, fair, fifo } from '../src/index.ts';
import { LearnedTimeout } from '../src/semaphore/learned-timeout.ts';
import {
  impatientScene,
  reason,
  scene,
  TOLERATED,
  times,
  UNTIL_LEARNED,
} from './impatient-scene.ts';

describe('the learned timeout', () => {
  const late = (learned: LearnedTimeout, waited: number, held = 10, max = 2000) =>
    learned.answered({ waited, since: 0 }, new Caller({ gone: () => true }), held, max);
  const inTime = (learned: LearnedTimeout, waited: number) =>
    learned.answered({ waited, since: 0 }, new Caller(), 10, 2000);
  /** One that the next answer too late moves. */
  const nearlyLearned = () => {
    const learned = new LearnedTimeout();
    times(TOLERATED, () => late(learned, 1000));
    return learned;
  };

  it('is unknown while no answer has come too late', () => {
    const learned = new LearnedTimeout();
    inTime(learned, 1900);
    expect(learned.value).toBe(Infinity);
  });

  it('is unknown until four more answers have come too late than in time', () => {
    const learned = nearlyLearned();
    expect(learned.value).toBe(Infinity);
    inTime(learned, 10);
    late(learned, 1000);
    expect(learned.value).toBe(Infinity);
    late(learned, 1000);
    expect(learned.value).toBeLessThan(Infinity);
  });

  it('is not kept unknown by answers in time before those that came too late', () => {
    const learned = new LearnedTimeout();
    times(1000, () => inTime(learned, 100));
    times(TOLERATED + 1, () => late(learned, 1000));
    expect(learned.value).toBeLessThan(Infinity);
  });

  it('moves 0.3 of the way to 0.7 of the wait of an answer that came too late', () => {
    const learned = nearlyLearned();
    late(learned, 1000);
    expect(learned.value).toBeCloseTo(2000 - 0.3 * (2000 - 700));
    times(50, () => late(learned, 1000));
    expect(learned.value).toBeCloseTo(700);
  });

  it('is not raised by an answer that came too late after a longer wait', () => {
    const learned = new LearnedTimeout();
    times(50, () => late(learned, 400));
    late(learned, 1900);
    expect(learned.value).toBeCloseTo(280);
  });

  it('rises by 0.1 % with an answer in time after more than 0.7 of it', () => {
    const learned = nearlyLearned();
    late(learned, 1000);
    const { value } = learned;
    inTime(learned, 0.7 * value - 1);
    expect(learned.value).toBe(value);
    inTime(learned, 0.7 * value + 1);
    expect(learned.value).toBeCloseTo(1.001 * value);
  });

  it('starts at a minute if there is no maximum wait', () => {
    const learned = nearlyLearned();
    late(learned, 1000, 10, Infinity);
    expect(learned.value).toBeCloseTo(60_000 - 0.3 * (60_000 - 700));
  });

  it('is unknown again when it has risen to the maximum wait', () => {
    const learned = nearlyLearned();
    late(learned, 1900);
    expect(learned.value).toBeLessThan(2000);
    times(110, () => inTime(learned, 1999));
    expect(learned.value).toBe(Infinity);
  });

  it('learns nothing from an answer that the work itself made late', () => {
    const learned = nearlyLearned();
    late(learned, 100, 200);
    late(learned, 0, 0);
    expect(learned.value).toBe(Infinity);
    late(learned, 101, 200);
    expect(learned.value).toBeLessThan(Infinity);
  });
});

it('a waiter past the learned timeout is rejected when its turn comes, and the next one is granted', () => {
  const { old, fresh, finish, limiter } = impatientScene();
  expect([old, fresh].map(reason)).toEqual(['waits', 'waits']);
  finish(true);
  expect(old.rejection).toMatchObject({ reason: 'timeout', waited: 400 });
  expect(reason(fresh)).toBe('granted');
  expect(limiter.stats().rejected.timeout).toBe(1);
});

it('the last waiter is served whatever it has waited, since no other would use its permit', () => {
  const { limiter, old, fresh, finish } = impatientScene();
  limiter.withdraw(fresh);
  finish(true);
  expect(reason(old)).toBe('granted');
});

it('the learned timeout is forgotten when the queue is empty', () => {
  const { clock, ask, finish, fresh } = impatientScene();
  finish(true);
  expect(reason(fresh)).toBe('granted');
  const [first, second] = [ask(), ask()];
  clock.advance(900);
  finish(false);
  finish(false);
  expect([first, second].map(reason)).toEqual(['granted', 'granted']);
});

it('answers that the work made late teach nothing', () => {
  const { clock, ask, finish } = scene();
  const callers = times(4, () => ask());
  clock.advance(100);
  finish(false);
  for (const caller of callers.slice(1)) {
    clock.advance(280);
    finish(true);
    expect(reason(caller)).toBe('granted');
  }
});

it('answers in time after long waits raise the learned timeout again', () => {
  const { clock, ask, finish, old, fresh } = impatientScene({ queueTimeout: 1e6 });
  finish(false);
  expect([old, fresh].map(reason)).toEqual(['granted', 'waits']);
  // An hour of patient clients, each of which waits for 900 ms.
  const callers = [ask(), ask()];
  for (let count = 0; count < 4000; count++) {
    clock.advance(450);
    callers.push(ask());
    finish(false);
  }
  expect(callers.slice(-100, -3).map(reason)).toEqual(Array(97).fill('granted'));
});

it('a request behind waiters that need more than three times the learned timeout is rejected on arrival', () => {
  /** How many are queued at most, after 20 s in which a request takes 200 ms and three arrive in that time. */
  const maxQueued = (isLate: boolean) => {
    const { clock, ask, finish } = scene({ queueTimeout: 4000 });
    for (let count = 0; count < 100; count++) {
      times(3, () => ask());
      clock.advance(200);
      finish(isLate);
    }
    while (reason(ask()) === 'waits');
    return ask().rejection?.queued;
  };
  expect(maxQueued(false)).toBe(61);
  expect(maxQueued(true)).toBeLessThan(45);
});

it.each([
  ['fifo()', fifo(), {}],
  ['byPriority()', byPriority(), { priority: 'high' }],
  ['fair()', fair(), { fairBy: 'ann' }],
  ['byShare()', byShare({ gold: 0.5 }), { share: 'gold' }],
] as const)('the learned timeout applies to the waiter that %s has chosen', (_, order, wishes) => {
  const { old, fresh, finish } = impatientScene({ order }, wishes);
  finish(true);
  expect([old, fresh].map(reason)).toEqual(['timeout', 'granted']);
});

it('the learned timeout applies to a heavy waiter that does not fit yet, for which room is saved', () => {
  const { clock, ask, finish } = scene({ limit: 2 });
  ask();
  times(UNTIL_LEARNED + 1, () => ask());
  const heavy = ask({ weight: 2 });
  clock.advance(400);
  const fresh = ask();
  for (let count = 0; count < UNTIL_LEARNED + 3; count++) finish(count > 1);
  expect([heavy, fresh].map(reason)).toEqual(['timeout', 'granted']);
});

it('an answer to a waiter whose gone() throws counts as too late, its permit is released, and the error surfaces', async () => {
  const { clock, limiter, ask, finish } = scene();
  const errors = times(UNTIL_LEARNED, () => new Error('gone?'));
  for (const error of errors) {
    let calls = 0;
    ask({
      gone: () => {
        // The first call is that before the grant.
        if (++calls > 1) throw error;
        return false;
      },
    });
  }
  const [old, last] = [ask(), ask()];
  clock.advance(400);
  const surfaced = await uncaughtIn(() => {
    for (let count = 0; count <= UNTIL_LEARNED; count++) finish(false);
  });
  expect(surfaced).toEqual(errors);
  expect([old, last].map(reason)).toEqual(['timeout', 'granted']);
  expect(limiter.inflight).toBe(1);
});
