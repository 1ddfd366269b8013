import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage } from './collect-garbage.ts';

/**
 * What is still in memory after this many rounds of garbage collection is assumed to stay there. Also the milliseconds
 * between two rounds.
 */
const ROUNDS = 20;
const PAUSE = 10;

/** The async context of a request, large enough for a heap snapshot to show it. */
interface Context {
  readonly watched: WatchedRequest;
}

const contexts = new AsyncLocalStorage<Context>();

/** A timer, a socket, a promise, or any other resource that Node runs in the context in which it was created. */
interface Created {
  readonly resource: WeakRef<object>;
  readonly description: string;
}

/**
 * A request with an async context of its own. Records everything that is created in it, to find what remains after the
 * request has ended.
 */
export class WatchedRequest {
  readonly #created = new Map<number, Created>();
  readonly #context: WeakRef<Context>;
  readonly #hook = createHook({
    init: (id, type, _, resource) => {
      if (WatchedRequest.current !== this) return;
      this.#created.set(id, { resource: new WeakRef(resource), description: describe(type) });
    },
    destroy: (id) => this.#created.delete(id),
  });
  #enter: (<T>(work: () => T) => T) | undefined;

  constructor() {
    const context: Context = { watched: this };
    this.#context = new WeakRef(context);
    this.#enter = (work) => contexts.run(context, work);
    this.#hook.enable();
  }

  /** The request in whose context this is called. */
  static get current(): WatchedRequest | undefined {
    return contexts.getStore()?.watched;
  }

  /** Calls `work` within the request. The returned promise does not belong to the request, so a test may keep it. */
  async run<T>(work: () => T | PromiseLike<T>): Promise<T> {
    if (this.#enter === undefined) throw new Error('the request has ended');
    return this.#enter(work);
  }

  /** Called when the request has ended. Resolves to descriptions of what still keeps its context in memory. */
  async remains(): Promise<string[]> {
    this.#enter = undefined;
    for (let round = 0; round < ROUNDS && this.#context.deref() !== undefined; round++) {
      await delay(PAUSE);
      collectGarbage();
    }
    this.#hook.disable();
    if (this.#context.deref() === undefined) return [];
    const remaining = [...this.#created.values()].filter(({ resource }) => resource.deref());
    return ['the context', ...remaining.map(({ description }) => description)];
  }
}

/** Describes a resource that is being created: its kind, and where in this repository. */
function describe(type: string): string {
  const lines = new Error().stack?.split('\n') ?? [];
  const own = lines.find((line) => line.includes('/src/') && !line.includes(import.meta.filename));
  return `${type}${own ?? ''}`;
}
