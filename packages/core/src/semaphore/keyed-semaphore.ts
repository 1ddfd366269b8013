import type { LocalPermit, PermitChange } from './local-permit.ts';
import type { ReleaseRate } from './release-rate.ts';
import { Semaphore } from './semaphore.ts';
import type { SemaphoreGroup } from './semaphore-group.ts';

/** Maximum number of idle keys whose rates are kept. */
const MAX_RATES = 1000;

/** What the semaphore of a key calls on its group. */
interface KeyedGroup extends SemaphoreGroup<Semaphore> {
  /** Weight held by all keys. */
  inflightOfKeys: number;
  /** How fast keys that are idle now have released weight: the next burst of a key need not measure it again. */
  readonly idleRates: Map<string, ReleaseRate>;
}

/** The semaphore of one key. Its group contains it only while it is in use or paused. */
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
    if (this.inflight > 0 || this.queue.length > 0 || this.pauseLeft > 0) return;
    const { group, key, rate } = this;
    group.forget(this, key);
    if (rate === undefined) return;
    const { idleRates } = group;
    idleRates.delete(key);
    idleRates.set(key, rate);
    if (idleRates.size > MAX_RATES) idleRates.delete(idleRates.keys().next().value as string);
  }

  protected override earlierRate(): ReleaseRate | undefined {
    return this.group.idleRates.get(this.key);
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
