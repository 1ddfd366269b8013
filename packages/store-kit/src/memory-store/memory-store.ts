import { type Clock, StoreError } from '@headgate/core';
import { checkClock } from '@headgate/core/engine';
import { checkNames, invalid } from '@headgate/core/options';
import type {
  Answer,
  Capabilities,
  LimitName,
  Op,
  StoreListener,
  StoreStats,
} from '../contract.ts';
import { Store } from '../store.ts';
import { checkTimes, type StoreOptions } from '../store-kit.ts';
import { Memory } from './memory.ts';

/** `timeout` has no effect except on the minimum of `leaseDuration`, since calls take no time. */
export interface MemoryStoreOptions extends StoreOptions {
  /** A `Memory` that several stores share, as several processes share one server. Default: one of the store's own. */
  readonly memory?: Memory | undefined;
  /** The clock for renewals, and for the leases in the store's own `memory`. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

const known = ['memory', 'leaseDuration', 'timeout', 'handoff', 'reserve', 'clock', 'name'];

/**
 * A store in this process, for tests, and for apps that run as one process for now. It gives the same guarantees as a
 * store for several processes, but its state ends with the process.
 *
 * @throws HeadgateError for an unknown option, and for a value that is not allowed.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkNames('memoryStore', options, known);
  const times = checkTimes(options);
  const clock = checkClock(options.clock);
  const { handoff, reserve, name = 'memory' } = options;
  const { memory = new Memory({ clock }) } = options;
  if (!(memory instanceof Memory)) throw invalid('memory', 'a Memory', memory);
  return new MemoryStore(memory, { ...times, clock, handoff, reserve, name });
}

class MemoryStore extends Store {
  readonly can: Capabilities = { recall: true };
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
