import {
  createLimiter,
  type DistributedLimiterOptions,
  type Limiter,
  type Observer,
  type Permit,
} from '@headgate/core';
import { VirtualClock } from '@headgate/test-suite';
import {
  type Answer,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
} from '../src/index.ts';
import { Memory, memoryStore } from '../src/memory-store/index.ts';

export const lease = 3000;
export const timeout = 300;

/** Resolves after all promises have settled that need no timer. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
}

/** A store of one process that records its calls, and whose connection can fail. */
export class TestStore extends Store {
  /** The verbs of each call. */
  readonly calls: string[][] = [];
  /** `silent`: the request is lost, and the call times out; `deaf`: the request arrives, but the answer is lost. */
  trouble: 'silent' | 'deaf' | 'refused' | undefined;
  /** Why calls for a limit of this name are refused. */
  objection: (name: string) => string | undefined = () => undefined;
  /** Whether messages of the store are lost. */
  mute = false;
  readonly can;

  constructor(
    private readonly inner: Store,
    clock: VirtualClock,
  ) {
    const { handoff, reserve } = inner;
    super({ leaseDuration: lease, timeout, clock, handoff, reserve });
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
      this.objection(op.verb === 'declare' ? op.ref.name : op.lease.ref.name),
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
      operated: (ref) => this.mute || listener.operated?.(ref),
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

/** A store that holds its answers back on request. */
export class SlowStore extends TestStore {
  held: (() => void)[] | undefined;
  override async send(ops: readonly Op[]): Promise<Answer[]> {
    const answers = await super.send(ops);
    if (this.held) await new Promise<void>((resolve) => this.held?.push(resolve));
    return answers;
  }
  go() {
    const held = this.held ?? [];
    this.held = undefined;
    for (const one of held) one();
  }
}

export const timedOut = new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'no answer in time');
export const refused = new StoreError('ERR_HEADGATE_STORE_REFUSED', 'refused');

/** Options of a store that save round trips. */
interface Saving {
  readonly handoff?: number;
  readonly reserve?: number;
}

type WorldOptions = Partial<DistributedLimiterOptions> &
  Saving & {
    readonly observer?: Observer;
    readonly warns?: boolean;
  };

/** Several processes that use one `Memory`, as they would use one server. */
export class World {
  readonly clock = new VirtualClock({ random: () => 0 });
  readonly memory = new Memory({ clock: this.clock });

  connect(saving?: Saving): TestStore;
  connect<L extends TestStore>(
    saving: Saving,
    Kind: new (inner: Store, clock: VirtualClock) => L,
  ): L;
  connect(saving: Saving = {}, Kind = TestStore): TestStore {
    const { memory, clock } = this;
    return new Kind(
      memoryStore({ memory, leaseDuration: lease, timeout, clock, ...saving }),
      clock,
    );
  }

  /**
   * Creates a limiter in its own process, unless `store` is given. It observes its store, so an outage causes no
   * warning, unless `warns` is set.
   */
  limiter({ handoff = 0, reserve = 0, ...given }: WorldOptions = {}): Limiter {
    const {
      store = this.connect({ handoff, reserve }),
      observer,
      warns = false,
      ...options
    } = given;
    const limiter = createLimiter({
      name: 'renders',
      limit: 1,
      queueLimit: 100,
      queueTimeout: 60_000,
      store,
      clock: this.clock,
      ...options,
    });
    limiter.observe({ ...(warns ? {} : { store: () => {} }), ...observer });
    return limiter;
  }

  /** The state of the limit in the memory. */
  stats(name = 'renders', key?: string): Promise<StoreStats> {
    return memoryStore({ memory: this.memory }).stats({ name, key });
  }

  async advance(milliseconds: number): Promise<void> {
    await settled();
    // In steps, so that the calls of each timer are answered before the next one fires.
    for (let left = milliseconds; left > 0; left -= 50) {
      this.clock.advance(Math.min(left, 50));
      await settled();
    }
  }
}

/** One process with a limiter, in a world of its own. */
export function scene({ handoff = 0, reserve = 0, ...options }: WorldOptions = {}) {
  const world = new World();
  const store = world.connect({ handoff, reserve });
  return { world, store, limiter: world.limiter({ store, ...options }) };
}

/** The permit or error of a promise, as soon as it has settled. */
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
