import { modes, type OperatedChange, type OperatedState, statuses } from '../contract.ts';
import { isLater } from '../operated-code.ts';

/** How a limit is operated: the state that the store last reported, and this process's own unconfirmed changes. */
export class OperatedLimit {
  /** The latest state received from the store. */
  latest: OperatedState | undefined = undefined;
  /** This process's changes that the store has not confirmed. Each change replaces the object. */
  change: OperatedChange | undefined = undefined;

  get status(): OperatedState['status'] {
    return this.change?.status ?? this.latest?.status ?? 'open';
  }

  get isShadow(): boolean {
    return (this.change?.mode ?? this.latest?.mode) === 'shadow';
  }

  /** Adds a change of this process. */
  declare(change: OperatedChange): void {
    this.change = { ...this.change, ...change };
  }

  /** Called when the store has executed this change. */
  confirmed(change: OperatedChange): void {
    if (this.change === change) this.change = undefined;
  }

  /** Adopts a store's answer, unless it is older than the known state. Ignores unknown values. */
  learn(operated: OperatedState | undefined): void {
    if (operated === undefined || operated === this.latest) return;
    const { status, mode, version } = operated;
    const isValid = statuses.includes(status) && modes.includes(mode) && /^\d+$/.test(version);
    if (isValid && isLater(operated, this.latest)) this.latest = operated;
  }
}
