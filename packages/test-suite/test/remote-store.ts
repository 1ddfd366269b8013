import {
  type Answer,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
} from '@headgate/store-kit';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import type { InterleavingOptions, InterleavingServer, Network, SuiteTimes } from '../src/index.ts';

/**
 * - `usual`: the store executes requests in order
 * - `unordered`: each request has a connection of its own, so that requests overtake each other
 * - `unreleasing`: the store refuses releases
 */
type Kind = 'usual' | 'unordered' | 'unreleasing';

const refused = new StoreError('ERR_HEADGATE_STORE_REFUSED', 'no releases');

/** A memory store behind a network: one connection for requests, another for the messages that the server pushes. */
class RemoteStore extends Store {
  readonly can;
  #requests = Symbol('requests');
  readonly #messages = Symbol('messages');

  constructor(
    private readonly store: Store,
    private readonly network: Network,
    private readonly kind: Kind,
  ) {
    super(store);
    this.can = store.can;
  }

  override get owner(): string {
    return this.store.owner;
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    const name = ops.map(({ verb }) => verb).join(', ');
    const apply = () => this.store.send(ops, timeout);
    const failed = (error: unknown) => ops.map(() => ({ error: error as StoreError }));
    if (this.kind === 'unreleasing' && ops.some(({ verb }) => verb === 'release'))
      return failed(refused);
    return this.#call(name, apply, timeout).catch(failed);
  }

  stats(ref: Parameters<Store['stats']>[0]): Promise<StoreStats> {
    return this.#call('stats', () => this.store.stats(ref), this.timeout);
  }

  listen(listener: StoreListener): () => void {
    const push = (name: string, deliver: () => void) =>
      this.network.notify(this.#messages, name, deliver);
    return this.store.listen({
      grant: (grant) => push('grant', () => listener.grant(grant)),
      recall: (ref) => push('recall', () => listener.recall(ref)),
      operated: (ref) => push('operated', () => listener.operated?.(ref)),
      check: () => push('check', () => listener.check()),
      state: (up, error) => listener.state(up, error),
    });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #call<T>(name: string, apply: () => Promise<T>, timeout: number): Promise<T> {
    const connection = this.kind === 'unordered' ? Symbol(name) : this.#requests;
    return new Promise((resolve, reject) => {
      const late = new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'no answer in time');
      const timer = setTimeout(() => reject(late), timeout);
      const reset = () => new StoreError('ERR_HEADGATE_STORE_DOWN', 'the connection was reset');
      this.network
        .send({ connection, name, apply }, reset)
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    }).catch((error) => {
      // Reconnects, as a client does after a failed connection.
      if (connection === this.#requests) this.#requests = Symbol('requests');
      throw error;
    }) as Promise<T>;
  }
}

export function startMemory({ network }: InterleavingOptions, kind: Kind = 'usual') {
  const memory = new Memory();
  const server: InterleavingServer = {
    connect: (times: SuiteTimes) =>
      new RemoteStore(memoryStore({ memory, ...times }), network, kind),
    count: () => memoryStore({ memory }).stats({ name: 'interleaved' }),
  };
  return server;
}
