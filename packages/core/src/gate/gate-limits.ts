import { HeadgateError } from '../errors.ts';
import type { Limiter } from '../limiter/limiter.ts';

/** A limit of a gate. */
export interface GateLimit {
  readonly limiter: Limiter;
  /** Whether a request may omit the limit. */
  readonly optional: boolean;
  /** True for a limiter that the gate has made and closes; false for a reused limiter. */
  readonly owned: boolean;
}

/** What the order of limits depends on; the limiter may not exist yet. */
interface Position {
  readonly limiter: Pick<Limiter, 'name' | 'perKey'>;
  readonly optional: boolean;
}

type Named = Position['limiter'];

/** The limiters that follow a reused limiter in some gate of this process. */
const successors = new WeakMap<Named, Set<Named>>();

/**
 * A queued request holds only the limits before the one it waits for. Limits that concern the fewest requests come
 * first, so that a busy key delays only itself. Limiters that several gates reuse must have one order everywhere:
 * otherwise two requests could each hold what the other waits for.
 *
 * @throws HeadgateError for a name used twice, or a contradicted order.
 */
export function checkPlaces(limits: readonly Position[]): void {
  for (const [index, current] of limits.entries()) {
    const { limiter } = current;
    const before = limits.slice(0, index);
    for (const earlier of before) {
      if (earlier.limiter.name === limiter.name) throw duplicate(limiter.name);
      if (rank(earlier) > rank(current)) throw disorder(earlier, limiter);
      if (reaches(limiter, earlier.limiter)) throw contradiction(earlier.limiter, limiter);
    }
  }
}

function rank({ limiter, optional }: Position): number {
  if (limiter.perKey) return 0;
  return optional ? 1 : 2;
}

/** Registers the order of the reused limiters, which no later gate may contradict. */
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

function duplicate(name: string): HeadgateError {
  const message = `limits must have different names, got "${name}" twice`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
}

function disorder(earlier: Position, limiter: Named): HeadgateError {
  const message =
    'limits must be ordered: keyed limits, then optional limits, then limits that apply to ' +
    `every request; got "${earlier.limiter.name}" before "${limiter.name}"`;
  return new HeadgateError('ERR_HEADGATE_GATE_ORDER', message, 'limits');
}

function contradiction(earlier: Named, limiter: Named): HeadgateError {
  const message =
    'limiters used by several gates must have the same order in all of them; another gate has ' +
    `"${limiter.name}" before "${earlier.name}"`;
  return new HeadgateError('ERR_HEADGATE_GATE_ORDER', message, 'limits');
}
