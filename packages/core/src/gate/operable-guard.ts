import { HeadgateError, invalid } from '../errors.ts';
import type { GateGuard, GuardStats } from '../limiter/gate-guard.ts';
import type { Stats } from '../limiter/stats.ts';
import { readStats } from '../read-or-warn.ts';
import { checkOrdering } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { GateSettings } from './gate.ts';
import type { Guard } from './options.ts';

/**
 * Operates the guard of one gate. The gate's settings hold the mode, since the guard may be shared with other gates.
 */
export class OperableGuard implements GateGuard {
  readonly name: string;
  readonly operations = ['shadow', 'enforce'] as const;

  constructor(
    private readonly guard: Guard,
    private readonly settings: GateSettings,
    private readonly gate: { readonly closed: boolean },
  ) {
    this.name = guard.name;
  }

  get mode(): 'enforce' | 'shadow' {
    return this.settings.mode;
  }

  admits(waiter: Pick<Waiter, 'priority' | 'fairBy'>): boolean {
    checkOrdering(waiter);
    const admits: unknown = this.guard.admits(waiter.priority);
    // A promise is truthy, so it would admit every request.
    if (typeof admits === 'boolean') return admits;
    throw invalid('guard.admits', 'a method that returns true or false', admits);
  }

  /** Reads the guard's state. If the guard throws, the statistics of requests must still be available. */
  stats(): Stats['guard'] {
    const { guard, name } = this;
    return { ...readStats(guard, `guard "${name}"`, () => statsOf(guard)), name };
  }

  shadow(): void {
    this.#change('shadow');
  }

  enforce(): void {
    this.#change('enforce');
  }

  #change(mode: 'enforce' | 'shadow'): void {
    const { name, settings } = this;
    if (this.gate.closed) {
      const message = `guard "${name}" does not support ${mode}: its gate is closed`;
      throw new HeadgateError('ERR_HEADGATE_UNSUPPORTED', message);
    }
    if (settings.mode === mode) return;
    settings.mode = mode;
    settings.observers.operated?.({ name, operation: mode, limit: undefined });
  }
}

function statsOf(guard: Guard): GuardStats | undefined {
  const stats: unknown = guard.stats?.();
  // A promise has no statistics, and its rejection would end the process.
  const isValid = typeof (stats ?? {}) === 'object' && !(stats instanceof Promise);
  if (!isValid) throw invalid('guard.stats', 'a method that returns an object', stats);
  return stats as GuardStats | undefined;
}
