import { notDone } from './failure.ts';
import type { Answer, Call, Caller, CallTimes } from './transport.ts';

/** Maximum duration sent to the service, in milliseconds. */
const MAX_DURATION = 1e12;

/** The counts that a peer holds, by semaphore. */
export type Counts = ReadonlyMap<string, number>;

export interface LockRequest {
  /** A 64-bit id, which a number cannot represent. */
  readonly peer: bigint;
  readonly semaphore: string;
  readonly count: number;
  /** Renews the peer for this many milliseconds from now. */
  readonly expiresIn?: number | undefined;
  /** Maximum time in milliseconds for which the service blocks the request. */
  readonly blockFor?: number | undefined;
}

/**
 * The service's routes. Each request is safe to repeat. It throws a StoreError if the service does not do what was
 * requested.
 */
export class Protocol {
  constructor(private readonly transport: Caller) {}

  /**
   * Creates a peer with these locks, even beyond the full counts. Returns false if the peer exists with other locks.
   */
  async restore(peer: bigint, acquired: Counts, expiresIn: number, options: CallTimes) {
    const locks = JSON.stringify(Object.fromEntries(acquired));
    const body = `{"expires_in":"${duration(expiresIn)}","peer_id":${peer},"acquired":${locks}}`;
    const answer = await this.transport.call({ method: 'POST', path: '/restore', body }, options);
    if (isOk(answer)) return true;
    if (answer.status === 409) return false;
    throw notDone(answer);
  }

  async acquire(
    { peer, semaphore, count, expiresIn, blockFor }: LockRequest,
    options: CallTimes,
  ): Promise<'held' | 'pending' | 'unknown'> {
    const query = new URLSearchParams();
    if (expiresIn !== undefined) query.set('expires_in', duration(expiresIn));
    if (blockFor !== undefined) query.set('block_for', duration(blockFor));
    const path = `${pathOf(peer, semaphore)}?${query}`;
    const answer = await this.transport.call({ method: 'PUT', path, body: `${count}` }, options);
    // Checked, since the answer of another server at this address must not be mistaken for a grant.
    const isOurs = answer.text === `${peer}`;
    if (answer.status === 200 && isOurs) return 'held';
    if (answer.status === 202 && isOurs) return 'pending';
    if (isUnknownPeer(answer)) return 'unknown';
    throw notDone(answer);
  }

  /** Renews the peer for `expiresIn` milliseconds. Returns false if it does not exist. */
  async heartbeat(peer: bigint, expiresIn: number, options: CallTimes): Promise<boolean> {
    const body = `{"expires_in":"${duration(expiresIn)}"}`;
    return this.#isKnown({ method: 'PUT', path: `/peers/${peer}`, body }, options);
  }

  /**
   * Deletes the peer, releases its locks and withdraws its pending one. Returns false if the peer certainly did not
   * exist. After a repeated call that is uncertain, since the first call may have deleted it.
   */
  async remove(peer: bigint, options: CallTimes): Promise<boolean> {
    const answer = await this.#ask({ method: 'DELETE', path: `/peers/${peer}` }, options);
    return answer.isRepeated === true || answer.text === '"Peer released"';
  }

  /** Releases a lock or withdraws a pending one. Returns false if the peer does not exist. */
  async release(peer: bigint, semaphore: string, options: CallTimes): Promise<boolean> {
    return this.#isKnown({ method: 'DELETE', path: pathOf(peer, semaphore) }, options);
  }

  async #isKnown(call: Call, options: CallTimes): Promise<boolean> {
    const answer = await this.transport.call(call, options);
    if (isOk(answer)) return true;
    if (isUnknownPeer(answer)) return false;
    throw notDone(answer);
  }

  async #ask(call: Call, options: CallTimes): Promise<Answer> {
    const answer = await this.transport.call(call, options);
    if (answer.status === 200) return answer;
    throw notDone(answer);
  }
}

function isOk({ status, text }: Answer): boolean {
  return status === 200 && text === 'Ok';
}

function isUnknownPeer({ status, text }: Answer): boolean {
  return status === 400 && text === 'Unknown peer';
}

function pathOf(peer: bigint, semaphore: string): string {
  return `/peers/${peer}/${encodeURIComponent(semaphore)}`;
}

function duration(milliseconds: number): string {
  return `${Math.min(Math.ceil(milliseconds), MAX_DURATION)}ms`;
}
