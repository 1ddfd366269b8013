import {
  type LimitRef,
  type OperatedChange,
  type OperatedState,
  SET_NOW,
} from '../distributed/contract.ts';
import { isLater } from '../distributed/operated-code.ts';

/** What a limit remembers, apart from its leases. */
export interface LimitMemory {
  limit: number;
  version: number;
  /** The last two numbers that processes have declared, the latest one first. */
  declared: readonly number[];
  /** Whether the limit was declared when the state began, and has not changed since. */
  isFirst: boolean;
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
  const limit = { limit: 0, version: 0, declared: [], isFirst: false };
  return { ...limit, longestLease: 0, lastToken: 0n, lastPlace: 0, born };
}

/** Declares or sets the limit, or adopts the one that the process knows. */
export function declareLimit(memory: LimitMemory, ref: LimitRef, now: number): void {
  const { limit, version: known, declared = [] } = ref;
  const isFirst = memory.limit === 0;
  const version = newVersion(memory, ref, now) ?? (isFirst ? Number(known) : undefined);
  if (version === undefined) return;
  const own = known === '' ? [limit] : declared.slice(0, 1);
  const isNew = known === '' || known === SET_NOW;
  memory.declared = isNew ? [...new Set([...own, ...memory.declared])].slice(0, 2) : declared;
  memory.limit = limit;
  memory.version = version;
  memory.isFirst = isFirst && known === '';
}

/**
 * The version of the limit, if it applies from now on. The highest version wins, and the lower limit if two keys were
 * given different ones with the same version.
 */
function newVersion(memory: LimitMemory, ref: LimitRef, now: number): number | undefined {
  const { limit, version, declared = [] } = ref;
  const [latest = 0] = memory.declared;
  const next = after(memory.version, now);
  if (version === '') {
    const outranked =
      limit === latest || (memory.limit !== latest && memory.declared.includes(limit));
    return outranked ? undefined : next;
  }
  if (version === SET_NOW) {
    const isSame = limit === memory.limit && (declared[0] ?? latest) === latest;
    return isSame ? undefined : next;
  }
  const known = Number(version);
  const isLater = known > memory.version || (known === memory.version && limit < memory.limit);
  if (isLater) return known;
  // It was set, and the store has lost it: a process that starts declares what it outranks.
  const isLost = known > 0 && memory.isFirst && limit !== declared[0] && declared.includes(latest);
  return isLost ? next : undefined;
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
