import { checkNames } from '../checks.ts';
import { type Clock, checkClock } from '../clock.ts';
import type {
  Answer,
  Capabilities,
  LimitName,
  Op,
  StoreListener,
  StoreStats,
} from '../distributed/contract.ts';
import { Store } from '../distributed/store.ts';
import { checkTimes, fullCapabilities } from '../distributed/store-kit.ts';
import { invalid } from '../errors.ts';
import { StoreError } from '../semaphore/rejection.ts';
import { Memory } from './memory.ts';

export interface MemoryStoreOptions {
  /** A `Memory` that several stores use, as several processes use one server. Default: the store's own. */
  readonly memory?: Memory | undefined;
  /** Milliseconds for which a permit is held without renewal: at least three times `timeout`. Default: 10,000. */
  readonly leaseDuration?: number | undefined;
  /**
   * Maximum time of a call in milliseconds. Calls of this store take no time, so it only matters for checks of
   * `leaseDuration`. Default: 1,000, or a third of `leaseDuration` if that is shorter.
   */
  readonly timeout?: number | undefined;
  /** Measures renewals, and the leases of the store's own `memory`. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** The store's name in metrics, to distinguish several stores. Default: `memory`. */
  readonly name?: string | undefined;
}

/**
 * A store in this process, for tests, and for apps that currently run as one process. It has the same guarantees as a
 * store for several processes, but its state ends with the process.
 *
 * @throws HeadgateError for an unknown option, and for a value that is not allowed.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkNames('memoryStore', options, ['memory', 'leaseDuration', 'timeout', 'clock', 'name']);
  const times = checkTimes(options);
  const clock = checkClock(options.clock);
  const { name = 'memory' } = options;
  const { memory = new Memory({ clock }) } = options;
  if (!(memory instanceof Memory)) throw invalid('memory', 'a Memory', memory);
  return new MemoryStore(memory, { ...times, clock, name });
}

class MemoryStore extends Store {
  readonly can: Capabilities = fullCapabilities;
  readonly #memory: Memory;
  #unlisten = () => {};
  #isClosed = false;

  constructor(memory: Memory, times: ConstructorParameters<typeof Store>[0]) {
    super(times);
    this.#memory = memory;
  }

  async send(ops: readonly Op[]): Promise<Answer[]> {
    if (this.#isClosed) return ops.map(() => ({ error: closed() }));
    return ops.map((op) => this.#memory.do(op, this.leaseDuration));
  }

  listen(listener: StoreListener): () => void {
    this.#unlisten = this.#memory.listen(this.owner, listener);
    return this.#unlisten;
  }

  async stats(ref: LimitName): Promise<StoreStats> {
    if (this.#isClosed) throw closed();
    return this.#memory.stats(ref);
  }

  override get closed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unlisten();
  }
}

function closed(): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the memory store was closed');
}
