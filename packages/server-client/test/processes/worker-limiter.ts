import { type Lock, type LockClient, lockClient, serverStore } from '@headgate/server-client';
import { type LimitSettings, type Tell, WorkerLimiter } from '@headgate/test-servers/processes';

/** The settings of the shared limit that a process receives. */
export interface Settings extends LimitSettings {
  readonly url: string;
}

/** A limiter that can also acquire locks through a client. */
export class ServerWorkerLimiter extends WorkerLimiter {
  readonly #client: LockClient;
  readonly #locks = new Map<string, Lock>();

  constructor({ url, lease, timeout, limiter }: Settings, tell: Tell) {
    super(serverStore({ url, leaseDuration: lease, timeout }), limiter, tell);
    this.#client = lockClient({ url, leaseDuration: lease });
  }

  async lock(semaphore: string, timeout?: number): Promise<void> {
    this.#locks.set(semaphore, await this.#client.lock(semaphore, { timeout }));
  }

  async unlock(semaphore: string): Promise<void> {
    await this.#locks.get(semaphore)?.release();
    this.#locks.delete(semaphore);
  }

  /** The code of the abort's reason; undefined while the lock is held. */
  isLost(semaphore: string): string | undefined {
    return this.#locks.get(semaphore)?.signal.reason?.code;
  }

  override async end(): Promise<void> {
    for (const lock of this.#locks.values()) await lock.release();
    await this.#client.close();
    await super.end();
  }
}
