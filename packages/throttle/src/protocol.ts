import { notDone } from './failure.ts';
import { longest } from './lease.ts';
import { metricsFrom, type SemaphoreMetrics } from './metrics.ts';
import type { Answer, Call, Caller, CallTimes } from './transport.ts';

/** What a peer holds: the count by semaphore. */
export type Counts = ReadonlyMap<string, number>;

export interface LockRequest {
  /** A whole 64 bits: never a number. */
  readonly peer: bigint;
  readonly semaphore: string;
  readonly count: number;
  /** Milliseconds that the peer lives on from now. */
  readonly expiresIn?: number | undefined;
  /** Milliseconds that the service may wait for the lock before it answers. */
  readonly blockFor?: number | undefined;
}

/** The routes of the service. Each is safe to repeat, and throws a StoreError where the service does not do it. */
export class Protocol {
  constructor(private readonly transport: Caller) {}

  /** Makes a peer that holds so much, whatever the full counts are; false where another is there already. */
  async restore(peer: bigint, acquired: Counts, expiresIn: number, times: CallTimes) {
    const locks = JSON.stringify(Object.fromEntries(acquired));
    const body = `{"expires_in":"${duration(expiresIn)}","peer_id":${peer},"acquired":${locks}}`;
    const answer = await this.transport.call({ method: 'POST', path: '/restore', body }, times);
    if (isOk(answer)) return true;
    if (answer.status === 409) return false;
    throw notDone(answer);
  }

  async acquire(
    { peer, semaphore, count, expiresIn, blockFor }: LockRequest,
    times: CallTimes,
  ): Promise<'held' | 'pending' | 'unknown'> {
    const query = new URLSearchParams();
    if (expiresIn !== undefined) query.set('expires_in', duration(expiresIn));
    if (blockFor !== undefined) query.set('block_for', duration(blockFor));
    const path = `${pathOf(peer, semaphore)}?${query}`;
    const answer = await this.transport.call({ method: 'PUT', path, body: `${count}` }, times);
    // Whatever else answers there, a lock is nothing to be guessed.
    const isOurs = answer.text === `${peer}`;
    if (answer.status === 200 && isOurs) return 'held';
    if (answer.status === 202 && isOurs) return 'pending';
    if (isUnknownPeer(answer)) return 'unknown';
    throw notDone(answer);
  }

  /** The peer lives on for so many milliseconds; false where there is none. */
  async heartbeat(peer: bigint, expiresIn: number, times: CallTimes): Promise<boolean> {
    const body = `{"expires_in":"${duration(expiresIn)}"}`;
    return this.#isKnown({ method: 'PUT', path: `/peers/${peer}`, body }, times);
  }

  /** Gives back all that the peer holds, and takes it out of every line; false where there was none. */
  async remove(peer: bigint, times: CallTimes): Promise<boolean> {
    const answer = await this.#ask({ method: 'DELETE', path: `/peers/${peer}` }, times);
    return answer.text === '"Peer released"';
  }

  /** Gives back one lock, or waits for it no longer; false where there is no such peer. */
  async release(peer: bigint, semaphore: string, times: CallTimes): Promise<boolean> {
    return this.#isKnown({ method: 'DELETE', path: pathOf(peer, semaphore) }, times);
  }

  /** How each semaphore stands. */
  async metrics(times: CallTimes): Promise<Map<string, SemaphoreMetrics>> {
    const { text } = await this.#ask({ method: 'GET', path: '/metrics' }, times);
    return metricsFrom(text);
  }

  async #isKnown(call: Call, times: CallTimes): Promise<boolean> {
    const answer = await this.transport.call(call, times);
    if (isOk(answer)) return true;
    if (isUnknownPeer(answer)) return false;
    throw notDone(answer);
  }

  async #ask(call: Call, times: CallTimes): Promise<Answer> {
    const answer = await this.transport.call(call, times);
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
  return `${Math.min(Math.ceil(milliseconds), longest)}ms`;
}
