import type { Waiter } from '../limiter/waiter.ts';
import type { SharedPermit } from './shared-permit.ts';
import type { SharedPool } from './shared-pool.ts';
import type { LeaseRequest } from './store.ts';

/** A place under a shared limit, or in its line: this process's record of it. */
export class Lease {
  /** `unsent`: the store has not been asked. `asking`: not answered yet. `over`: given back, lost, or turned away. */
  state: 'unsent' | 'asking' | 'queued' | 'held' | 'over' = 'unsent';
  /** Who waits for it. */
  waiter: Waiter | undefined = undefined;
  /** Who holds it. */
  permit: SharedPermit | undefined = undefined;
  /** Waits in this process alone in the waiter's stead, while the store is away. */
  standIn: Waiter | undefined = undefined;
  /** Whether the waiter has been told that it must wait in line. */
  isCounted = false;
  place: string | undefined = undefined;
  fencing: bigint | undefined = undefined;
  /** Whether its weight was another once. */
  resized = false;
  /** How many permits it has served. */
  uses = 0;
  /** When the store let it in, or when it was last laid idle. */
  since = 0;
  /** When the latest request for it was sent that the store has answered; before that, when it was first asked for. */
  heard = 0;
  /** How often news may have been missed, by the time it was last asked about. */
  missed = 0;
  /** When the store takes it out of the line, as it was last told. */
  waitsUntil = Infinity;
  /** When it is to be renewed. */
  renewAt = Infinity;

  constructor(
    readonly pool: SharedPool,
    readonly id: string,
    public weight: number,
  ) {}

  /** As the store is told of it now. */
  request(): LeaseRequest {
    const { pool, id, weight, resized, place, fencing } = this;
    const { queueLimit, spare, reserves } = pool.home;
    const wait = this.waiter === undefined ? 0 : pool.home.timeLeft(this.waiter);
    this.waitsUntil = pool.home.session.store.clock.now() + wait;
    return {
      ref: pool.view.ref,
      id,
      weight,
      resized,
      wait,
      queueLimit,
      place,
      fencing,
      spare,
      reserves,
    };
  }
}
