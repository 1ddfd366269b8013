import type { OperatedState } from '@headgate/store-kit';
import { expect } from 'vitest';
import type { Invariant } from '../src/invariants/finding.ts';
import type { Event, Log } from '../src/log/event.ts';

/**
 * An invented log, for testing the invariants. Times are in milliseconds. The lease is one second, all of which is
 * certain unless stated otherwise.
 */
export class LogBuilder {
  readonly #events: Event[] = [];
  readonly #limit: number;
  readonly #certain: number;
  #calls = 0;

  constructor(limit: number, certain = 1_000) {
    this.#limit = limit;
    this.#certain = certain;
  }

  get log(): Log {
    const events = this.#events.sort((a, b) => a.at - b.at);
    return { limit: this.#limit, lease: 1_000, certain: this.#certain, maxRecovery: 1_000, events };
  }

  event(event: Event): this {
    this.#events.push(event);
    return this;
  }

  /** A call that is granted, and works from then until then. */
  works(worker: string, from: number, to?: number, options: Work = {}): this {
    const { weight = 1, token = from, aborted = false, writes = [] } = options;
    const about = { worker, limit: this.#limit, call: ++this.#calls };
    const fencing = token === 'none' ? undefined : String(token);
    this.event({ kind: 'requested', ...about, at: from, weight, queueTimeout: 1_000 });
    this.event({ kind: 'granted', ...about, at: from, fencing });
    for (const { at, accepted } of writes) {
      this.event({ kind: 'wrote', ...about, at, from: at - 1, fencing, accepted });
    }
    if (to !== undefined) this.event({ kind: 'ended', ...about, at: to, aborted });
    return this;
  }

  /** A call that is answered then, or never. */
  asks(worker: string, at: number, queueTimeout: number, answered?: number, reason?: string): this {
    const about = { worker, limit: this.#limit, call: ++this.#calls };
    this.event({ kind: 'requested', ...about, at, weight: 1, queueTimeout });
    if (answered === undefined) return this;
    return this.event({ kind: 'rejected', ...about, at: answered, reason: reason ?? 'timeout' });
  }

  /** An answer at that time: status, mode and limit, and their version. */
  answers(at: number, state: string, version: number): this {
    const [status, mode, value] = state.split(' ');
    const operated = { status, mode, version: `${version}` } as OperatedState;
    const about = { worker: 'x', limit: this.#limit, value: Number(value), valueVersion: '1' };
    return this.event({ kind: 'answered', at, from: at - 5, ...about, operated });
  }

  /** What a worker knows of the limit. */
  knows(worker: string, at: number, comparison: number, known: string, expected?: string): this {
    const about = { worker, limit: this.#limit, comparison, known, expected };
    return this.event({ kind: 'known', at, from: at - 10, ...about });
  }

  paused(worker: string, from: number, at: number): this {
    return this.event({ kind: 'paused', worker, from, at });
  }

  killed(worker: string, at: number): this {
    return this.event({ kind: 'killed', worker, at });
  }

  lost(from: number, at = from): this {
    return this.event({ kind: 'lost', from, at });
  }

  fault(from: number, at: number, isLossless = false): this {
    return this.event({ kind: 'fault', from, at, name: 'x', isLossless });
  }

  /** No message reached the worker, and the server ended its connections, or all connections, at that time. */
  disconnectedUnnoticed(
    worker: string,
    from: number,
    at: number,
    ended: number,
    whose?: string,
  ): this {
    this.event({ kind: 'missedMessages', worker, from, at });
    const who = whose === undefined ? {} : { worker: whose };
    return this.event({ kind: 'disconnected', from: ended, at: ended, ...who });
  }

  /** A wait that was renewed at these times, each answered 10 ms later. */
  waits(
    id: string,
    place: string | undefined,
    asked: readonly number[],
    entered?: [number, number],
    deadline = Infinity,
  ) {
    return this.event({
      kind: 'waited',
      at: entered?.[1] ?? asked.at(-1) ?? 0,
      worker: id.toUpperCase(),
      limit: this.#limit,
      id,
      asked: asked[0] ?? entered?.[0] ?? 0,
      deadline,
      place,
      seen: asked.map((from) => ({ from, to: from + 10 })),
      entered: entered && { from: entered[0], to: entered[1] },
    });
  }
}

interface Work {
  readonly weight?: number;
  readonly token?: number | 'none';
  readonly aborted?: boolean;
  readonly writes?: readonly { at: number; accepted: boolean }[];
}

export const emptyLog = (limit = 1) => new LogBuilder(limit);

/** Expects that the invariant finds nothing wrong in a log, and that it checks something. */
export function holds(invariant: Invariant, { log }: LogBuilder): void {
  const { broken, checked } = invariant(log);
  expect(broken).toEqual([]);
  expect(checked).toBeGreaterThan(0);
}

/** Expects that the invariant finds one violation. */
export function breaks(invariant: Invariant, { log }: LogBuilder, what: string | RegExp): void {
  expect(invariant(log).broken).toEqual([expect.stringMatching(what)]);
}
