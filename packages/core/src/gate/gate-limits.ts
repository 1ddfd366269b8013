import { HeadgateError } from '../errors.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { LimitSpec } from './limit-spec.ts';

/** A limit of a gate. */
export interface GateLimit {
  readonly limiter: Limiter;
  /** Whether the limit applies only to requests that set a weight for it. */
  readonly optional: boolean;
  /** True for a limiter that the gate has made and must close; false for a reused limiter. */
  readonly owned: boolean;
}

type Named = LimitSpec['limiter'];

/** For each reused limiter: the limiters that come after it in any gate of this process. */
const successors = new WeakMap<Named, Set<Named>>();

/**
 * Checks the order of the limits. A request that is queued for one limit holds permits of the limits before it. So
 * limits that concern the fewest requests come first, and a busy key delays only its own requests. All gates must have
 * their common limiters in the same order: otherwise two requests could each hold the permit that the other one waits
 * for.
 *
 * @throws HeadgateError for a name used twice, and for an order that contradicts another gate's.
 */
export function checkLimitOrder(specs: readonly LimitSpec[]): void {
  for (const [index, current] of specs.entries()) {
    const { name } = current.limiter;
    for (const earlier of specs.slice(0, index)) {
      if (earlier.limiter.name === name) {
        const message = `limits must have different names, got "${name}" twice`;
        throw new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
      }
      if (rank(earlier) > rank(current)) {
        throw disorder(
          `limits must be ordered: limits per key, then limits for some requests (a route, or optional), then limits for every request; got "${earlier.limiter.name}" before "${name}"`,
        );
      }
      if (reaches(current.limiter, earlier.limiter)) {
        throw disorder(
          `limiters used by several gates must have the same order in all of them; another gate has "${name}" before "${earlier.limiter.name}"`,
        );
      }
    }
  }
}

function rank({ limiter, optional }: LimitSpec): number {
  if (limiter.perKey) return 0;
  return optional ? 1 : 2;
}

/** Records the order of the reused limiters. Later gates must not contradict it. */
export function rememberOrder(limits: readonly GateLimit[]): void {
  const reused = limits.filter(({ owned }) => !owned).map(({ limiter }) => limiter);
  for (const [index, limiter] of reused.entries()) {
    const later = successors.get(limiter) ?? new Set();
    for (const other of reused.slice(index + 1)) later.add(other);
    successors.set(limiter, later);
  }
}

function reaches(from: Named, to: Named, seen = new Set<Named>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  for (const next of successors.get(from) ?? []) if (reaches(next, to, seen)) return true;
  return false;
}

function disorder(message: string): HeadgateError {
  return new HeadgateError('ERR_HEADGATE_GATE_ORDER', message, 'limits');
}
