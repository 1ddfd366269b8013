import type { Settings } from './options.ts';
import { Origin } from './origin.ts';
import { RetryBudget } from './retry-budget.ts';

/** Maximum number of origins, apart from those in use. */
const MAX_ORIGINS = 1_000;

/** The origins that have been called. Beyond the maximum, those that have been idle for longest are forgotten. */
export class Origins {
  readonly #byKey = new Map<string, Origin>();
  /** In the order in which their last calls have ended. */
  readonly #idle = new Set<Origin>();

  constructor(private readonly settings: Settings) {}

  get all(): Origin[] {
    return [...this.#byKey.values()];
  }

  /** Starts a call. The origin is kept until its calls have ended. */
  enter(key: string): Origin {
    const origin = this.#byKey.get(key) ?? this.#create(key);
    if (origin.calls++ === 0) this.#idle.delete(origin);
    return origin;
  }

  leave(origin: Origin): void {
    if (--origin.calls === 0) this.#idle.add(origin);
    for (const oldest of this.#idle) {
      if (this.#byKey.size <= MAX_ORIGINS) return;
      this.#idle.delete(oldest);
      this.#byKey.delete(oldest.key);
      // Metrics remove a closed limit.
      void oldest.limiter.close();
    }
  }

  #create(key: string): Origin {
    const { budget = new RetryBudget(), onLimiter } = this.settings;
    const origin = new Origin(key, this.settings, budget);
    onLimiter?.(origin.limiter);
    this.#byKey.set(key, origin);
    return origin;
  }
}
