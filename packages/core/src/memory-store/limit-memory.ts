import type { LimitRef, OperatedChange, OperatedState } from '../distributed/contract.ts';
import { isLater } from '../distributed/operated-code.ts';

/** What a limit remembers, apart from its leases. */
export interface LimitMemory {
  limit: number;
  version: number;
  /** Undefined if the limit was never operated. */
  operated?: OperatedState | undefined;
  /** Longest lease duration of any caller in milliseconds: determines how long the limit is remembered. */
  longestLease: number;
  lastToken: bigint;
  lastPlace: number;
  /** The time in microseconds at which the state began: it has issued no earlier token. */
  readonly born: bigint;
  /** Number of held leases that have expired and that no answer has reported yet; undefined if there are none. */
  unreported?: number | undefined;
  /**
   * The time in milliseconds since which the limit is known to be idle; undefined if it is in use. Set by a store whose
   * process may end while the limit is idle.
   */
  idleSince?: number | undefined;
}

/** What a new limit remembers. */
export function newMemory(micros: number): LimitMemory {
  const born = BigInt(micros);
  return { limit: 0, version: 0, longestLease: 0, lastToken: 0n, lastPlace: 0, born };
}

/**
 * The highest version wins, and the lower limit if two keys were given different ones with the same version. A new
 * declaration gets the highest version.
 */
export function declareLimit(memory: LimitMemory, ref: LimitRef, now: number): void {
  const isNew = ref.version === '' && ref.limit !== memory.limit;
  const latest = isNew ? after(memory.version, now) : Number(ref.version);
  const isLower = latest === memory.version && ref.limit < memory.limit;
  const isFirst = memory.limit === 0;
  if (!(isFirst || latest > memory.version || isLower)) return;
  memory.limit = ref.limit;
  memory.version = latest;
}

/**
 * Adopts what the process knows, if that is newer, and then applies its change: the latest one, even if it makes no
 * difference, since the state may be older than what other processes know. Returns whether there is a newer state.
 */
export function operateLimit(
  memory: LimitMemory,
  known: OperatedState | undefined,
  change: OperatedChange = {},
  now: number,
): boolean {
  const before = memory.operated;
  if (known !== undefined && isLater(known, before)) memory.operated = known;
  if (Object.keys(change).length > 0) {
    const { status = 'open', mode = 'enforce', version = 0 } = memory.operated ?? {};
    memory.operated = { status, mode, ...change, version: String(after(Number(version), now)) };
  }
  return memory.operated !== before;
}

function after(version: number, now: number): number {
  return Math.max(Math.floor(now), version + 1);
}
