import type { Grant, LeaseVerb, LimitName, Reply, StoreStats } from '@headgate/store-kit';
import { objectName } from '../src/by-object.ts';
import { DurableObjectStore } from '../src/durable-object-store.ts';
import type { RunningObjects } from './running-objects.ts';

interface Wishes {
  /** Milliseconds. */
  readonly wait?: number;
  readonly fencing?: bigint | undefined;
  readonly place?: string | undefined;
}

/** A store as an isolate has it, and the messages that it has received. */
export class Participant {
  readonly grants: Grant[] = [];
  /** How often it has been asked to check its waiters. */
  checks = 0;
  readonly store: DurableObjectStore;

  constructor(
    private readonly objects: RunningObjects,
    private readonly limit: LimitName,
    leaseDuration = 60_000,
  ) {
    // The names of these tests fit into a header, so that a Worker can use the same objects.
    const namespace = { idFromName: (name: string) => name, get: objects.get.bind(objects) };
    const times = { leaseDuration, timeout: leaseDuration / 3 };
    this.store = new DurableObjectStore({ namespace, waitUntil: () => {} }, times);
    this.store.listen({
      grant: (grant) => this.grants.push(grant),
      recall: () => {},
      check: () => this.checks++,
      state: () => {},
    });
  }

  async do(verb: LeaseVerb, name: string, { wait = 0, fencing, place }: Wishes = {}) {
    const ref = { ...this.limit, limit: 1, version: '' };
    const terms = { queueLimit: 10, weight: 1, resized: false, extraTokens: 0, reserves: false };
    const lease = { ref, id: this.id(name), wait, fencing, place, ...terms };
    const [answer] = await this.store.send([{ verb, lease }], this.store.timeout);
    if (answer === undefined || 'error' in answer) throw answer?.error;
    return answer as Reply;
  }

  id(name: string): string {
    return `${this.store.owner}.${name}`;
  }

  /** The number of rows that the limit has written. */
  rows(): Promise<number> {
    return this.objects.rows(objectName(this.limit));
  }

  stats(): Promise<StoreStats> {
    return this.store.stats(this.limit);
  }
}
