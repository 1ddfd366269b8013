import type { Semaphore } from '../state/semaphore.ts';
import type { State } from '../state/state.ts';

/** What the page shows. Ids and counts are texts, since a number cannot tell all of them; durations are milliseconds. */
export interface Snapshot {
  readonly version: string;
  readonly peers: number;
  /** How many semaphores there are, or, if a text was looked for, how many names have it. */
  readonly found: number;
  readonly semaphores: readonly SemaphoreView[];
}

export interface SemaphoreView {
  readonly name: string;
  readonly level: number;
  readonly max: string;
  readonly acquired: string;
  /** The sum of the counts that are waited for. */
  readonly pending: string;
  /** 0 where nobody waits. */
  readonly longestWait: number;
  /** The configuration does not name it any more. */
  readonly retired: boolean;
  readonly holding: Share;
  readonly waiting: Share;
}

/** The first of those who hold a semaphore, or wait for it, and how many there are in all. */
export interface Share {
  readonly peers: number;
  readonly first: readonly Stake[];
}

export interface Stake {
  readonly peer: string;
  readonly count: string;
  /** For how long it has been held, or waited for. */
  readonly since: number;
  /** When the peer expires, if nobody prolongs it. */
  readonly expiresIn: number;
}

/** Of each semaphore, those who hold it and those who wait. */
const mostStakes = 8;
/** More are found by a part of their name. */
const mostSemaphores = 100;

/**
 * How the semaphores stand whose names have a text in them. Its cost is that of what is shown, and of looking through the
 * names: however many peers there are.
 */
export function snapshot(state: State, text: string): Omit<Snapshot, 'version'> {
  const now = state.advance();
  const wanted = text.toLowerCase();
  const semaphores: SemaphoreView[] = [];
  let found = 0;
  for (const semaphore of state.semaphores()) {
    if (!semaphore.name.toLowerCase().includes(wanted)) continue;
    found += 1;
    if (found <= mostSemaphores) semaphores.push(view(semaphore, now));
  }
  return { peers: state.size.peers, found, semaphores };
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
    waiting: { peers: semaphore.waiting, first: line(semaphore, now) },
  };
}

function holders(semaphore: Semaphore, now: number): Stake[] {
  const first: Stake[] = [];
  for (const [peer, since] of semaphore.holders) {
    if (first.length === mostStakes) break;
    first.push(stake(peer, peer.acquired.get(semaphore) as bigint, since, now));
  }
  return first;
}

function line(semaphore: Semaphore, now: number): Stake[] {
  const first: Stake[] = [];
  for (const { peer, count, since } of semaphore.line()) {
    if (first.length === mostStakes) break;
    first.push(stake(peer, count, since, now));
  }
  return first;
}

function stake(
  peer: { readonly id: bigint; readonly validUntil: number },
  count: bigint,
  since: number,
  now: number,
): Stake {
  return {
    peer: `${peer.id}`,
    count: `${count}`,
    since: Math.floor(now - since),
    expiresIn: Math.floor(peer.validUntil - now),
  };
}
