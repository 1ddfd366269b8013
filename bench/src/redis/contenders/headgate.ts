import { createLimiter } from '@headgate/core';
import type { Store } from '@headgate/core/shared';
import { redisStore } from '@headgate/redis';
import { connect } from '../connect.ts';
import { type Contender, type Open, patience } from './contender.ts';

/** How a limiter is told to save round trips. */
interface Saving {
  handoff?: number;
  reserve?: number;
}

export const headgate =
  (saving: Saving = {}): Open =>
  async ({ port, name, limit, lease }) => {
    const store = redisStore({ client: await connect(port), lease });
    const tap = tapOf(store);
    const queue = { queueLimit: Number.POSITIVE_INFINITY, queueTimeout: patience };
    const limiter = createLimiter({ name, limit, store, ...queue, ...saving });
    return { acquire: () => limiter.acquire(), ...tap };
  };

/** Listens to what the limiter asks of its store. */
function tapOf(store: Store): Required<Pick<Contender, 'operations' | 'settled'>> {
  const operations: Record<string, number> = {};
  const send = store.send.bind(store);
  let last: Promise<unknown> = Promise.resolve();
  store.send = (ops, timeout) => {
    for (const { verb } of ops) operations[verb] = (operations[verb] ?? 0) + 1;
    const answers = send(ops, timeout);
    last = answers;
    return answers;
  };
  return { operations, settled: () => last };
}
