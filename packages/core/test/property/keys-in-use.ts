import type { Waiter } from '../../src/index.ts';

/** A request, as the model sees it. */
export interface Case {
  readonly waiter: Waiter;
  readonly key: string;
  readonly weight: number;
  /** Deadline; undefined if a gate handles timeouts, or while the request is not queued. */
  deadline: number | undefined;
  /** Number of waiters that arrived before its request. */
  readonly after: number;
  readonly askedAt: number;
  state: 'asks' | 'waits' | 'holds' | 'done';
  declined: boolean;
  order: number;
}

/** What the model expects of each key: its waiters in order of arrival, its weight in flight, and its limit. */
export class KeysInUse {
  readonly #queues = new Map<string, Case[]>();
  readonly #held = new Map<string, number>();
  readonly #limits = new Map<string, number>();

  /** `limit` applies to keys without a limit of their own. */
  constructor(private limit: number) {}

  /** The limit of each key in use. */
  get limits(): ReadonlyMap<string, number> {
    return this.#limits;
  }

  get waiting(): Case[] {
    return [...this.#queues.values()].flat();
  }

  get inflight(): number {
    return [...this.#held.values()].reduce((total, weight) => total + weight, 0);
  }

  queueOf(key: string): readonly Case[] {
    return this.#queues.get(key) ?? [];
  }

  heldOf(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  limitOf(key: string, limit?: number): number {
    return this.#limits.get(key) ?? limit ?? this.limit;
  }

  fits(key: string, weight: number, own?: number): boolean {
    const limit = this.limitOf(key, own);
    return this.heldOf(key) + Math.min(weight, limit) <= limit;
  }

  setLimit(limit: number): void {
    this.limit = limit;
    for (const key of this.#limits.keys()) this.#limits.set(key, limit);
  }

  resize(key: string, limit: number | undefined): void {
    if (limit !== undefined && this.#limits.has(key)) this.#limits.set(key, limit);
  }

  hold(key: string, weight: number, limit: number | undefined): void {
    this.#use(key, limit);
    this.add(key, weight);
  }

  /** Changes the weight in flight. */
  add(key: string, weight: number): void {
    this.#held.set(key, this.heldOf(key) + weight);
  }

  enqueue(one: Case, limit: number | undefined): void {
    this.#use(one.key, limit);
    const queue = [...this.queueOf(one.key), one];
    this.#queues.set(
      one.key,
      queue.sort((a, b) => a.order - b.order),
    );
  }

  dequeue(one: Case, keepsKey = false): void {
    const queue = this.#queues.get(one.key) ?? [];
    const index = queue.indexOf(one);
    if (index < 0) return;
    queue.splice(index, 1);
    one.state = 'done';
    if (!keepsKey) this.tidy(one.key);
  }

  tidy(key: string): void {
    if (this.queueOf(key).length > 0 || this.heldOf(key) > 0) return;
    this.#queues.delete(key);
    this.#held.delete(key);
    this.#limits.delete(key);
  }

  /** The key is in use from its first admitted or queued request. */
  #use(key: string, limit: number | undefined): void {
    if (!this.#limits.has(key)) this.#limits.set(key, limit ?? this.limit);
  }
}
