import { createLimiter, type Limiter, type Permit } from '../../src/index.ts';
import type { SharedLimiterOptions } from '../../src/limiter/create-limiter.ts';
import {
  type Answer,
  Memory,
  memoryStore,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
} from '../../src/shared/index.ts';
import { VirtualClock } from '../virtual-clock.ts';

export const lease = 3000;
export const timeout = 300;

/** All promises that can settle without the clock have settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
}

/** A store of one process, whose line may be cut; it notes what it was sent. */
export class Line extends Store {
  /** Each call, as verbs. */
  readonly calls: string[][] = [];
  /** `silent`: the store hears nothing, and the call times out; `deaf`: it hears, but its answer is lost. */
  trouble: 'silent' | 'deaf' | 'refused' | undefined;
  /** Why calls for a limit of this name are refused. */
  objection: (name: string) => string | undefined = () => undefined;
  /** Messages are lost. */
  mute = false;
  readonly can;

  constructor(
    private readonly inner: Store,
    clock: VirtualClock,
  ) {
    super({ lease, timeout, clock });
    this.can = inner.can;
    Object.defineProperty(this, 'owner', { value: inner.owner });
  }

  async send(ops: readonly Op[]): Promise<Answer[]> {
    this.calls.push(ops.map(({ verb }) => verb));
    const { trouble } = this;
    if (trouble === 'refused') return ops.map(() => ({ error: refused }));
    const answers = trouble === 'silent' ? [] : await this.#sendInside(ops);
    if (trouble === undefined) return answers;
    await new Promise<void>((resolve) => this.clock.setTimeout(resolve, timeout));
    return ops.map(() => ({ error: timedOut }));
  }

  async #sendInside(ops: readonly Op[]): Promise<Answer[]> {
    const objections = ops.map((op) =>
      this.objection(op.verb === 'setLimit' ? op.ref.name : op.lease.ref.name),
    );
    const sent = ops.filter((_, index) => objections[index] === undefined);
    const answers = (await this.inner.send(sent, timeout)).values();
    return objections.map((text) =>
      text === undefined
        ? (answers.next().value as Answer)
        : { error: new StoreError('ERR_HEADGATE_STORE_REFUSED', text) },
    );
  }

  listen(listener: StoreListener): () => void {
    this.listener = listener;
    return this.inner.listen({
      grant: (grant) => this.mute || listener.grant(grant),
      recall: (ref) => this.mute || listener.recall(ref),
      check: () => listener.check(),
      state: (up, error) => listener.state(up, error),
    });
  }

  listener: StoreListener | undefined;

  async stats(ref: { name: string }): Promise<StoreStats> {
    this.calls.push(['stats']);
    if (this.trouble === undefined) return this.inner.stats(ref);
    throw timedOut;
  }

  async close(): Promise<void> {
    await this.inner.close();
  }
}

export const timedOut = new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'no answer in time');
export const refused = new StoreError('ERR_HEADGATE_STORE_REFUSED', 'refused');

type LineOptions = Partial<SharedLimiterOptions> & { readonly warns?: boolean };

/** Several processes that share a memory, as they would share a server. */
export class World {
  readonly clock = new VirtualClock();
  readonly memory = new Memory({ clock: this.clock });

  line(): Line {
    const { memory, clock } = this;
    return new Line(memoryStore({ memory, lease, timeout, clock }), clock);
  }

  /**
   * A limiter in a process of its own, unless told of its store. It has an observer for its store, so an outage causes no
   * warning, unless it is to be one that warns.
   */
  limiter({ observer, warns = false, ...options }: LineOptions = {}): Limiter {
    return createLimiter({
      name: 'renders',
      limit: 1,
      queueLimit: 100,
      queueTimeout: 60_000,
      store: this.line(),
      clock: this.clock,
      random: () => 0,
      observer: { ...(warns ? {} : { store: () => {} }), ...observer },
      ...options,
    });
  }

  /** What the memory says of the limit. */
  stats(name = 'renders', key?: string): Promise<StoreStats> {
    return memoryStore({ memory: this.memory }).stats({ name, key });
  }

  async advance(milliseconds: number): Promise<void> {
    await settled();
    // In steps, so that what each timer asks is answered before the next fires.
    for (let left = milliseconds; left > 0; left -= 50) {
      this.clock.advance(Math.min(left, 50));
      await settled();
    }
  }
}

/** What a promise has come to so far. */
export function outcome(promise: Promise<Permit>): { permit?: Permit; error?: unknown } {
  const seen: { permit?: Permit; error?: unknown } = {};
  promise.then(
    (permit) => {
      seen.permit = permit;
    },
    (error) => {
      seen.error = error;
    },
  );
  return seen;
}
