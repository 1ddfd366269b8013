import { call } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { describe, expect, it } from 'vitest';
import { createLimiter, type Limiter, type LimiterOptions } from '../src/index.ts';

function scene(options: Partial<LimiterOptions> = {}) {
  const events: string[] = [];
  const limiter = createLimiter({
    ...{ limit: 1, queueLimit: 5, queueTimeout: 100 },
    ...options,
  });
  limiter.observe({
    operated: ({ operation, limit }) => void events.push(`${operation} ${limit}`),
    admitted: () => void events.push('admitted'),
    rejected: ({ rejection }) => void events.push(rejection.reason),
  });
  return { limiter, events };
}

/** A limiter with one permit held and two waiters. */
function busy(options?: Partial<LimiterOptions>) {
  const all = scene(options);
  const [held, ...waiting] = [1, 2, 3].map(() => call(all.limiter));
  all.events.length = 0;
  return { ...all, held, waiting };
}

describe('an operation is reported before its waiters are', () => {
  it.each([false, true])('rejected by rejectAll() (by key: %s)', (perKey) => {
    const { limiter, events } = scene({ perKey });
    for (const key of ['a', 'a', 'b', 'b']) call(limiter, perKey ? { key } : {});
    const waiting = limiter.queued;
    events.length = 0;
    limiter.rejectAll();
    expect(events).toEqual(['rejectAll 1', ...Array.from({ length: waiting }, () => 'closed')]);
  });

  it.each([
    ['setLimit', (limiter: Limiter) => limiter.setLimit(2), ['setLimit 2', 'admitted']],
    ['shadow', (limiter: Limiter) => limiter.shadow(), ['shadow 1', 'admitted', 'admitted']],
  ])('admitted by %s()', (_name, operate, expected) => {
    const { limiter, events } = busy();
    operate(limiter);
    expect(events).toEqual(expected);
  });

  it('admitted by resume()', () => {
    const { limiter, events } = scene();
    limiter.pause();
    call(limiter);
    limiter.resume();
    expect(events).toEqual(['pause 1', 'resume 1', 'admitted']);
  });

  it("admitted by setLimit('adaptive')", () => {
    const { limiter, events } = scene({
      limit: { create: () => ({ limit: 5, sample: () => {} }) },
    });
    limiter.setLimit(1);
    call(limiter);
    call(limiter);
    events.length = 0;
    limiter.setLimit('adaptive');
    expect(events).toEqual(['setLimit 5', 'admitted']);
  });
});

describe('the callback `operated`', () => {
  it('sees the state after the operation, and the waiters before it', () => {
    const { limiter } = busy();
    const seen: unknown[] = [];
    limiter.observe({ operated: () => void seen.push([limiter.state, limiter.queued]) });
    limiter.rejectAll();
    expect(seen).toEqual([['rejecting', 2]]);
  });

  it.each(['rejectAll', 'setLimit', 'shadow'] as const)(
    'does not prevent the effect of %s() on waiters if it throws',
    async (operation) => {
      const { limiter, waiting } = busy();
      const error = new Error('broken observer');
      limiter.observe({
        operated() {
          throw error;
        },
      });
      const errors = await uncaughtIn(() => {
        if (operation === 'setLimit') limiter.setLimit(3);
        else limiter[operation]();
        expect(waiting.map(({ answers }) => answers)).toEqual([1, 1]);
      });
      expect(errors).toEqual([error]);
    },
  );

  it('keeps the waiters of a limiter that is about to reject all if it resumes the limiter', () => {
    const { limiter, held, waiting, events } = busy();
    limiter.observe({
      operated: ({ operation }) => void (operation === 'rejectAll' && limiter.resume()),
    });
    limiter.rejectAll();
    expect([waiting.map(({ answers }) => answers), limiter.state]).toEqual([[0, 0], 'open']);
    held?.permit?.release();
    expect(events).toEqual(['rejectAll 1', 'resume 1', 'admitted']);
  });

  it.each([
    ['pauses', (limiter: Limiter) => limiter.pause(), [0, 0]],
    ['rejects all', (limiter: Limiter) => limiter.rejectAll(), [1, 1]],
  ])('that %s a limiter whose limit is being raised admits no waiter', (_name, act, answers) => {
    const { limiter, waiting } = busy();
    limiter.observe({
      operated: ({ operation }) => void (operation === 'setLimit' && act(limiter)),
    });
    limiter.setLimit(3);
    expect(waiting.map((caller) => caller.answers)).toEqual(answers);
    expect(waiting.every(({ permit }) => permit === undefined)).toBe(true);
  });

  it('may set the limit again; waiters are then admitted up to that limit', () => {
    const { limiter, waiting, events } = busy();
    limiter.observe({ operated: ({ limit }) => void (limit === 3 && limiter.setLimit(2)) });
    limiter.setLimit(3);
    expect([limiter.limit, limiter.inflight, limiter.queued]).toEqual([2, 2, 1]);
    expect(waiting.map(({ answers }) => answers)).toEqual([1, 0]);
    expect(events).toEqual(['setLimit 3', 'setLimit 2', 'admitted']);
  });

  it('cannot acquire a permit before the waiters do', () => {
    const { limiter, waiting } = busy();
    const later: ReturnType<typeof call>[] = [];
    limiter.observe({ operated: () => void later.push(call(limiter)) });
    limiter.setLimit(2);
    expect([...waiting, ...later].map(({ answers }) => answers)).toEqual([1, 0, 0]);
  });

  it('gets no permit from a limiter that is about to reject all', () => {
    const { limiter } = busy();
    const later: ReturnType<typeof call>[] = [];
    limiter.observe({ operated: () => void later.push(call(limiter)) });
    limiter.rejectAll();
    expect(later).toMatchObject([{ rejection: { reason: 'closed' } }]);
  });
});
