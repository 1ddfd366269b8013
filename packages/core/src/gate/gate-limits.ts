import { HeadgateError } from '../errors.ts';
import type { Limiter } from '../limiter/limiter.ts';

/** A limit in its place in a gate. */
export interface GateLimit {
  readonly limiter: Limiter;
  /** Does not apply to every request. */
  readonly optional: boolean;
  /** Made by the gate and closed with it; otherwise shared with others. */
  readonly owned: boolean;
}

/** What the order of limits depends on: also of a limiter that is still to be made. */
interface Placed {
  readonly limiter: Pick<Limiter, 'name' | 'perKey'>;
  readonly optional: boolean;
}

type Named = Placed['limiter'];

/** The limiters that stand behind a shared limiter in some gate of this process. */
const behind = new WeakMap<Named, Set<Named>>();

/**
 * A waiting request holds only limits written earlier. So those that concern the fewest come first: a busy key
 * then delays only itself. And limiters that several gates share stand in one order everywhere, or two requests
 * could each hold what the other waits for.
 *
 * @throws HeadgateError where a name stands twice or an order is contradicted.
 */
export function checkPlaces(limits: readonly Placed[]): void {
  for (const [index, placed] of limits.entries()) {
    const { limiter } = placed;
    const before = limits.slice(0, index);
    for (const earlier of before) {
      if (earlier.limiter.name === limiter.name) throw duplicate(limiter.name);
      if (rank(earlier) > rank(placed)) throw disorder(earlier, limiter);
      if (reaches(limiter, earlier.limiter)) throw contradiction(earlier.limiter, limiter);
    }
  }
}

function rank({ limiter, optional }: Placed): number {
  if (limiter.perKey) return 0;
  return optional ? 1 : 2;
}

/** From now on no gate may contradict this order. */
export function rememberOrder(limits: readonly GateLimit[]): void {
  const shared = limits.filter(({ owned }) => !owned).map(({ limiter }) => limiter);
  for (const [index, limiter] of shared.entries()) {
    const later = behind.get(limiter) ?? new Set();
    for (const other of shared.slice(index + 1)) later.add(other);
    behind.set(limiter, later);
  }
}

function reaches(from: Named, to: Named, seen = new Set<Named>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  for (const next of behind.get(from) ?? []) if (reaches(next, to, seen)) return true;
  return false;
}

function duplicate(name: string): HeadgateError {
  const message = `limits must have different names, got "${name}" twice`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
}

function disorder(earlier: Placed, limiter: Named): HeadgateError {
  const message =
    'limits must be written keyed first, then those that apply to some requests, then those that apply to ' +
    `all; got "${earlier.limiter.name}" before "${limiter.name}"`;
  return new HeadgateError('ERR_HEADGATE_GATE_ORDER', message, 'limits');
}

function contradiction(earlier: Named, limiter: Named): HeadgateError {
  const message =
    'limiters shared between gates must stand in one order in all of them; another gate has ' +
    `"${limiter.name}" before "${earlier.name}"`;
  return new HeadgateError('ERR_HEADGATE_GATE_ORDER', message, 'limits');
}
