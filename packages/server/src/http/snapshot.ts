import { type LimitSummary, MAX_LIMITS_SHOWN } from '../limits/summary.ts';
import type { Semaphore } from '../state/semaphore.ts';
import type { StateDriver } from '../state-driver.ts';

/**
 * What the page shows. Ids and counts are strings, because a number cannot represent all of them. Durations are in
 * milliseconds.
 */
export interface Snapshot {
  readonly version: string;
  readonly peers: number;
  /** The number of semaphores or, with a search text, of those whose name contains it. */
  readonly found: number;
  readonly semaphores: readonly SemaphoreView[];
  /** The same number of the limits that processes count here. */
  readonly foundLimits: number;
  readonly limits: readonly LimitSummary[];
  /**
   * The last minutes of each semaphore, if the page has asked for them. A sample consists of its age in milliseconds,
   * the counts in use and pending, and the full count.
   */
  readonly history?: Readonly<Record<string, readonly PastSample[]>> | undefined;
}

export type PastSample = readonly [ago: number, used: number, pending: number, max: number];

export interface SemaphoreView {
  readonly name: string;
  readonly level: number;
  readonly max: string;
  readonly acquired: string;
  /** The sum of the counts of all pending locks. */
  readonly pending: string;
  /** 0 if no lock is pending. */
  readonly longestWait: number;
  /** Whether it is no longer configured. */
  readonly retired: boolean;
  readonly holding: PeerList;
  readonly waiting: PeerList;
}

/** The first peers that hold a semaphore, or wait for it, and their total number. */
export interface PeerList {
  readonly peers: number;
  readonly first: readonly PeerEntry[];
}

export interface PeerEntry {
  readonly peer: string;
  readonly count: string;
  /** How long the lock has been held, or pending. */
  readonly since: number;
  /** When the peer expires unless it is renewed. */
  readonly expiresIn: number;
}

/** Maximum number of holders, and of waiting peers, shown per semaphore. */
const MAX_PEERS_SHOWN = 8;
/** Maximum number of semaphores shown; the search finds the others. */
const MAX_SEMAPHORES_SHOWN = 100;

/** The state of the semaphores and limits whose name contains `text`. */
export function snapshot(
  { state, limits }: StateDriver,
  text: string,
): Omit<Snapshot, 'version' | 'history'> {
  const now = state.advance();
  const wanted = text.toLowerCase();
  const isWanted = ({ name }: { name: string }) => name.toLowerCase().includes(wanted);
  const semaphores: SemaphoreView[] = [];
  let found = 0;
  for (const semaphore of state.semaphores()) {
    if (!isWanted(semaphore)) continue;
    found += 1;
    if (found <= MAX_SEMAPHORES_SHOWN) semaphores.push(view(semaphore, now));
  }
  const some = limits.summaries().filter(isWanted);
  return {
    peers: state.size.peers,
    found,
    semaphores,
    foundLimits: some.length,
    limits: some.slice(0, MAX_LIMITS_SHOWN),
  };
}

function view(semaphore: Semaphore, now: number): SemaphoreView {
  const { name, level, max, acquired, pending, pendingSince = now, retired } = semaphore;
  return {
    name,
    level,
    max: `${max}`,
    acquired: `${acquired}`,
    pending: `${pending}`,
    longestWait: Math.floor(now - pendingSince),
    retired,
    holding: { peers: semaphore.holders.size, first: holders(semaphore, now) },
    waiting: { peers: semaphore.queued, first: pendingLocks(semaphore, now) },
  };
}

function holders(semaphore: Semaphore, now: number): PeerEntry[] {
  const first: PeerEntry[] = [];
  for (const [peer, since] of semaphore.holders) {
    if (first.length === MAX_PEERS_SHOWN) break;
    first.push(peerEntry(peer, peer.acquired.get(semaphore) as bigint, since, now));
  }
  return first;
}

function pendingLocks(semaphore: Semaphore, now: number): PeerEntry[] {
  const first: PeerEntry[] = [];
  for (const { peer, count, since } of semaphore.queue()) {
    if (first.length === MAX_PEERS_SHOWN) break;
    first.push(peerEntry(peer, count, since, now));
  }
  return first;
}

function peerEntry(
  peer: { readonly id: bigint; readonly validUntil: number },
  count: bigint,
  since: number,
  now: number,
): PeerEntry {
  return {
    peer: `${peer.id}`,
    count: `${count}`,
    since: Math.floor(now - since),
    expiresIn: Math.floor(peer.validUntil - now),
  };
}
