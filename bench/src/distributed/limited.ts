import { createLimiter, type Limiter } from '@headgate/core';
import type { Store } from '@headgate/store-kit';
import { acquireTimeout, type Contender, type Setting } from './contender.ts';

/** Options of a store that save round trips. */
export interface Saving {
  handoff?: number;
  reserve?: number;
}

/** Headgate's limiter with a store; of several names, each with one of the stores. */
export function limited(stores: readonly Store[], { name, limit, names = 1 }: Setting): Contender {
  const tap = tapOf(stores);
  const queue = { queueLimit: Number.POSITIVE_INFINITY, queueTimeout: acquireTimeout };
  const limiters = Array.from({ length: names }, (_, index) => {
    const store = stores[index % stores.length] as Store;
    return createLimiter({ name: `${name}${index || ''}`, limit, store, ...queue });
  });
  // Different in each process, so that they do not follow each other from limit to limit.
  let next = Math.floor(Math.random() * names);
  const acquire = () => {
    next = (next + 1) % names;
    return (limiters[next] as Limiter).acquire();
  };
  return { acquire, ...tap };
}

/** Counts the operations that the limiters send to their stores. */
function tapOf(stores: readonly Store[]): Required<Pick<Contender, 'operations' | 'settled'>> {
  const operations: Record<string, number> = {};
  let last: Promise<unknown> = Promise.resolve();
  for (const store of stores) {
    const send = store.send.bind(store);
    store.send = (ops, timeout) => {
      for (const { verb } of ops) operations[verb] = (operations[verb] ?? 0) + 1;
      const answers = send(ops, timeout);
      last = answers;
      return answers;
    };
  }
  return { operations, settled: () => last };
}
