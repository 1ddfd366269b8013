import { expect, it } from 'vitest';
import { byShare, createLimiter, fifo, type Order, type Queue } from '../src/index.ts';
import { call } from './caller.ts';

/** First in, first out, but the waiters of these shares are held back. */
function holdingBack(shares: Set<string | undefined>): Order {
  const create: Order['create'] = (context) => {
    const queue = fifo().create(context);
    return new Proxy({} as Queue, {
      get: (_, name) => {
        const { oldest } = queue;
        if (name === 'isOpen') return oldest === undefined || !shares.has(oldest.share);
        if (name === 'next') return shares.has(oldest?.share) ? undefined : queue.next;
        const member: unknown = Reflect.get(queue, name);
        return typeof member === 'function' ? member.bind(queue) : member;
      },
    });
  };
  return { create };
}

/** A limit of four of which two are guaranteed to each of two shares, and held by requests without a share. */
function divided(...heldBack: (string | undefined)[]) {
  const shares = new Set(heldBack);
  const order = byShare({ gold: 0.5, free: 0.5 }, holdingBack(shares));
  const limiter = createLimiter({ limit: 4, queueLimit: 9, order });
  const held = call(limiter, { weight: 4 });
  const ask = (share: string | undefined, weight = 1) => call(limiter, { share, weight });
  return { limiter, held, ask };
}

it('the waiters of a share are served while those of another share are held back', () => {
  for (const shares of [
    ['gold', 'free'],
    ['free', 'gold'],
    ['gold', undefined],
    [undefined, 'gold'],
  ]) {
    const { limiter, held, ask } = divided(shares[0]);
    const [blocked, next] = [ask(shares[0]), ask(shares[1])];
    held.permit?.release();
    expect([blocked.answers, next.answers, limiter.queued], `${shares}`).toEqual([0, 1, 1]);
  }
});

it('a waiter that is held back does not overtake a heavy one of another share', () => {
  const { limiter, held, ask } = divided('free');
  const [heavy, light] = [ask('gold', 3), ask('free')];
  held.permit?.adjust(3);
  expect([heavy.answers, light.answers]).toEqual([0, 0]);
  held.permit?.release();
  expect([heavy.answers, light.answers, limiter.inflight]).toEqual([1, 0, 3]);
});
