import { modes, type OperatedChange, type OperatedState, statuses } from '../contract.ts';
import { isLater } from '../operated-code.ts';

/** How a limit is operated: what the store last reported, and this process's own changes that it has not confirmed. */
export class OperatedLimit {
  /** The latest state that is known from the store. */
  latest: OperatedState | undefined = undefined;
  /** Changes of this process that the store has not confirmed; a new object for each. */
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

  /** The store has executed this change. */
  confirmed(change: OperatedChange): void {
    if (this.change === change) this.change = undefined;
  }

  /** Adopts what a store has answered, unless it is older than what is known. Ignores values that do not exist. */
  learn(operated: OperatedState | undefined): void {
    if (operated === undefined || operated === this.latest) return;
    const { status, mode, version } = operated;
    const isValid = statuses.includes(status) && modes.includes(mode) && /^\d+$/.test(version);
    if (isValid && isLater(operated, this.latest)) this.latest = operated;
  }
}
