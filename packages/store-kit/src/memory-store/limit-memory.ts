import { MAX_PAUSE } from '@headgate/core/engine';
import { type LimitRef, type OperatedChange, type OperatedState, SET_NOW } from '../contract.ts';
import { isLater } from '../operated-code.ts';

/** The state of a limit, except its leases. */
export interface LimitMemory {
  limit: number;
  version: number;
  /** The last two numbers that processes have declared, the latest one first. */
  declared: readonly number[];
  /** Whether the limit is still the first one declared since the state began. */
  isFirst: boolean;
  /** Undefined if the limit was never operated. */
  operated?: OperatedState | undefined;
  /** When the pause ends, in milliseconds. Undefined if there is none. */
  pausedUntil?: number | undefined;
  /** The longest lease duration of any caller, in milliseconds. It determines how long the limit is remembered. */
  longestLease: number;
  lastToken: bigint;
  lastPlace: number;
  /** When the state began, in microseconds. Earlier tokens belong to a lost state. */
  readonly born: bigint;
  /** Number of expired held leases that no answer has reported yet; undefined if there are none. */
  unreported?: number | undefined;
  /**
   * When the limit became idle, as far as known, in milliseconds; undefined if it is in use. Set by stores whose
   * process may end while the limit is idle.
   */
  idleSince?: number | undefined;
}

/** The initial state of a limit. */
export function newMemory(micros: number): LimitMemory {
  const born = BigInt(micros);
  const limit = { limit: 0, version: 0, declared: [], isFirst: false };
  return { ...limit, longestLease: 0, lastToken: 0n, lastPlace: 0, born };
}

/** Declares or sets the limit, or adopts the limit that the process knows. */
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
 * Returns the new version of the limit, or undefined if the request does not change the limit. The highest version
 * wins. If two keys were given different limits with the same version, the lower limit wins.
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
  // The store has lost its state, in which this limit had been set. Since then, a process has declared a number that
  // must not replace it.
  const isLost = known > 0 && memory.isFirst && limit !== declared[0] && declared.includes(latest);
  return isLost ? next : undefined;
}

/** Milliseconds until the pause ends. A longer pause is one of a clock that was ahead, and has no effect. */
export function pauseLeft({ pausedUntil = 0 }: LimitMemory, now: number): number {
  const left = pausedUntil - now;
  // Rounded, the rest of the longest pause may be above it.
  return left > 0 && left < MAX_PAUSE + 1 ? Math.min(left, MAX_PAUSE) : 0;
}

/** Pauses the limit for this many milliseconds, unless it is paused for longer already; 0 ends the pause. */
export function pauseLimit(memory: LimitMemory, pause: number, now: number): void {
  const left = Math.max(pauseLeft(memory, now), Math.min(pause, MAX_PAUSE));
  memory.pausedUntil = pause === 0 ? undefined : now + left;
}

/**
 * Adopts the state that the process knows, if it is newer, and then applies the process's change. A change counts as
 * the latest even if it makes no difference, since other processes may know a newer state. A newer state ends the pause.
 * Returns whether there is a newer state.
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
  if (memory.operated === before) return false;
  memory.pausedUntil = undefined;
  return true;
}

function after(version: number, now: number): number {
  return Math.max(Math.floor(now), version + 1);
}
