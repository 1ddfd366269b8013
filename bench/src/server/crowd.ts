import type { LeaseRequest, Op, Store } from '@headgate/store-kit';

export const limit = 10;
/** Waiters that join with one call. */
const batch = 500;

/**
 * Waiters of several processes, in turn, which release their permit as soon as it is granted, and queue again in the
 * same call.
 */
export class Crowd {
  /** Number of grants until `granted` resolves. */
  #left = 0;
  #enough = () => {};
  #serial = 0;
  #isOver = false;

  constructor(private readonly stores: readonly Store[]) {
    for (const store of stores) {
      store.listen({
        grant: ({ id }) => void this.#pass(store, id),
        recall: () => {},
        check: () => {},
        state: () => {},
        isWaiting: true,
        isActive: true,
      });
    }
  }

  /** Queues `waiters`, next to as many that hold a permit as the limit allows. */
  async join(waiters: number): Promise<void> {
    // By their places, so that the processes alternate although their waiters join in batches.
    const first = Date.now() * 1_000 - 1_000_000;
    const ops = this.stores.map((store, index) =>
      Array.from({ length: Math.ceil((waiters + limit) / this.stores.length) }, (_, turn) =>
        this.#op(store, 'stay', { place: `${first + turn * this.stores.length + index}` }),
      ),
    );
    // Nothing is granted until all have joined.
    await this.#operate('paused');
    for (const [index, store] of this.stores.entries()) {
      const own = ops[index] ?? [];
      for (let at = 0; at < own.length; at += batch) await send(store, own.slice(at, at + batch));
    }
    await this.#operate('open');
  }

  /** Resolves after `count` more grants. */
  granted(count: number): Promise<void> {
    this.#left = count;
    return new Promise((resolve) => {
      this.#enough = resolve;
    });
  }

  /** Closes the stores, whose permits remain held. */
  async leave(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.stores.map((store) => store.close()));
  }

  async #pass(store: Store, id: string): Promise<void> {
    if (--this.#left === 0) this.#enough();
    if (this.#isOver) return;
    await store.send([this.#op(store, 'release', { id }), this.#op(store, 'acquire')], 60_000);
  }

  async #operate(status: 'open' | 'paused'): Promise<void> {
    const [store] = this.stores;
    if (store !== undefined) await send(store, [{ verb: 'declare', ref, change: { status } }]);
  }

  #op(store: Store, verb: 'acquire' | 'release' | 'stay', rest: Partial<LeaseRequest> = {}): Op {
    const id = `${store.owner}.${++this.#serial}`;
    const terms = { weight: 1, resized: false, wait: 600_000, queueLimit: 1_000_000 };
    return { verb, lease: { ref, id, ...terms, extraTokens: 0, reserves: false, ...rest } };
  }
}

const ref = { name: 'contended', limit, version: '' };

async function send(store: Store, ops: readonly Op[]): Promise<void> {
  for (const answer of await store.send(ops, 60_000)) if ('error' in answer) throw answer.error;
}
