import type { LeaseClock } from '../host-clock.ts';
import type { Protocol } from '../protocol.ts';
import type { CallTimes } from '../transport.ts';
import type { ServiceLease } from './lease-table.ts';

export interface LeasePeersOptions {
  readonly protocol: Protocol;
  readonly clock: LeaseClock;
  /** Milliseconds. */
  readonly leaseDuration: number;
}

/** Creates, restores and removes the peers of leases. Sends the requests of each lease one after the other. */
export class LeasePeers {
  readonly #options: LeasePeersOptions;

  constructor(options: LeasePeersOptions) {
    this.#options = options;
  }

  /** Creates the peer of a lease, without a lock. */
  create(lease: ServiceLease, times: CallTimes): Promise<void> {
    const { protocol, clock, leaseDuration } = this.#options;
    return lease.inTurn(async () => {
      if (lease.existsAtService || lease.isReleased) return;
      const [{ peer }, sent] = [lease, clock.now()];
      await protocol.restore(peer, new Map(), leaseDuration, times);
      if (lease.peer === peer) lease.renewedAt = sent;
    });
  }

  /** Restores a lease as held, even beyond the full count. Returns false if it had been released. */
  restore(lease: ServiceLease, times: CallTimes): Promise<boolean> {
    const { protocol, clock, leaseDuration } = this.#options;
    const counts = new Map([[lease.queue.semaphore, lease.weight]]);
    return lease.inTurn(async () => {
      if (lease.isReleased) return false;
      const sent = clock.now();
      const isRestored = await protocol.restore(lease.peer, counts, leaseDuration, times);
      // The lease was released meanwhile, and its removal follows.
      if (lease.isReleased) return true;
      if (!isRestored) {
        // The peer exists without this lock, because the lease is still queued.
        lease.retire();
        await protocol.restore(lease.peer, counts, leaseDuration, times);
      }
      if (!lease.isReleased) lease.renewedAt = sent;
      return true;
    });
  }

  /** Removes the retired peers of a lease. Returns false if none of them existed. */
  remove(lease: ServiceLease, times: CallTimes): Promise<boolean> {
    return lease.inTurn(async () => {
      let wasThere = false;
      for (const peer of lease.removing) {
        if (await this.#options.protocol.remove(peer, times)) wasThere = true;
        lease.removing.delete(peer);
      }
      return wasThere;
    });
  }
}
