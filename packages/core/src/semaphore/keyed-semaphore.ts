import type { LocalPermit, PermitChange } from './local-permit.ts';
import { Semaphore } from './semaphore.ts';
import type { SemaphoreGroup } from './semaphore-group.ts';

/** What the semaphore of a key calls on its group. */
interface KeyedGroup extends SemaphoreGroup<Semaphore> {
  /** Weight held by all keys. */
  inflightOfKeys: number;
}

/** The semaphore of one key. Its group contains it only while it is in use. */
export class KeyedSemaphore extends Semaphore {
  declare readonly group: KeyedGroup;

  constructor(
    group: KeyedGroup,
    override readonly key: string,
    limit: number,
  ) {
    super(group, limit);
  }

  protected override beforeUse(): void {
    if (this.inflight === 0 && this.queue.length === 0) this.group.keep(this, this.key);
  }

  protected override afterUse(): void {
    if (this.inflight === 0 && this.queue.length === 0) this.group.forget(this, this.key);
  }

  protected override changeInflight(
    permit: LocalPermit,
    weight: number,
    change: PermitChange,
  ): void {
    this.group.inflightOfKeys += weight;
    super.changeInflight(permit, weight, change);
  }
}
