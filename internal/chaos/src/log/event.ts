import type { OperatedState } from '@headgate/store-kit';

/** An event of a call at one of the limits. */
interface Call {
  /** A time, see `stamp`. */
  readonly at: number;
  readonly worker: string;
  readonly limit: number;
  /** The worker's number for the call. */
  readonly call: number;
}

/** An interval in which the event happened. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A wait, as seen by the worker's store. */
export interface Wait {
  readonly at: number;
  readonly worker: string;
  readonly limit: number;
  readonly id: string;
  /** When the process requested to be queued. */
  readonly asked: number;
  /** The time after which the waiter is not granted a permit. */
  readonly deadline: number;
  /**
   * Undefined if the waiter was granted a permit before the answer `queued` arrived, or if the store has no queue
   * positions.
   */
  readonly place: string | undefined;
  /** For each answer that the waiter is queued: the times of its request and of the answer. */
  readonly seen: readonly Span[];
  /** The interval in which the waiter was granted a permit. */
  readonly entered: Span | undefined;
}

/** The state of a limit after one lease and one second without load. */
interface Probe {
  readonly from: number;
  readonly at: number;
  readonly limit: number;
  /** How many permits were granted at once, out of as many as the limit allows. */
  readonly admitted: number;
  readonly inflight: number;
  readonly queued: number;
}

/** A process that held a permit was killed. Says whether another process, which was waiting, has got the permit. */
interface Recovery {
  readonly from: number;
  readonly at: number;
  readonly limit: number;
  readonly admitted: boolean;
}

/** An answer of the store, with the state of a limit that is operated. */
export interface LimitAnswer {
  /** When the worker received it. */
  readonly at: number;
  /** When the worker sent the request. */
  readonly from: number;
  readonly worker: string;
  readonly limit: number;
  /** The limit that applied, and its version. */
  readonly value: number;
  readonly valueVersion: string;
  /** How the limit was operated; the version is empty if it never was. */
  readonly operated: OperatedState;
}

/** What a worker knows of a limit that is operated, right after a call. */
interface Knowledge {
  readonly at: number;
  readonly from: number;
  readonly worker: string;
  readonly limit: number;
  /** The number of the comparison; workers are compared with each other. */
  readonly comparison: number;
  /** Status, mode and limit. */
  readonly known: string;
  /** What all workers must know by now. Undefined if they must only agree. */
  readonly expected: string | undefined;
}

export type Event =
  | (Call & { readonly kind: 'requested'; readonly weight: number; readonly queueTimeout: number })
  | (Call & { readonly kind: 'granted'; readonly fencing: string | undefined })
  /** The work ended: it was done, or the permit's signal aborted. */
  | (Call & { readonly kind: 'ended'; readonly aborted: boolean })
  | (Call & { readonly kind: 'released' })
  | (Call & { readonly kind: 'rejected'; readonly reason: string })
  | (Call & { readonly kind: 'withdrawn' })
  /** A write at the resource, in the resource's order; `from` is when the worker sent it. */
  | (Call & {
      readonly kind: 'wrote';
      readonly from: number;
      readonly fencing: string | undefined;
      readonly accepted: boolean;
    })
  | (Wait & { readonly kind: 'waited' })
  | (Probe & { readonly kind: 'probed' })
  | (Recovery & { readonly kind: 'recovered' })
  | (LimitAnswer & { readonly kind: 'answered' })
  | (Knowledge & { readonly kind: 'known' })
  /** The worker has operated the limit. */
  | {
      readonly kind: 'operated';
      readonly at: number;
      readonly worker: string;
      readonly limit: number;
      readonly operation: string;
    }
  /** The worker's event loop was blocked, as measured by itself. */
  | {
      readonly kind: 'stalled';
      readonly at: number;
      readonly worker: string;
      readonly from: number;
    }
  /** The worker was stopped and has continued. */
  | { readonly kind: 'paused'; readonly at: number; readonly worker: string; readonly from: number }
  | { readonly kind: 'failed'; readonly at: number; readonly worker: string; readonly what: string }
  | { readonly kind: 'killed'; readonly at: number; readonly worker: string }
  | { readonly kind: 'exited'; readonly at: number; readonly worker: string; readonly how: string }
  /** The store lost its state, or part of it. */
  | { readonly kind: 'lost'; readonly at: number; readonly from: number }
  /** The server ended connections: those of this worker, or all. */
  | {
      readonly kind: 'disconnected';
      readonly at: number;
      readonly from: number;
      readonly worker?: string;
    }
  /** Messages of the server reached the worker late or not at all. */
  | {
      readonly kind: 'missedMessages';
      readonly at: number;
      readonly from: number;
      readonly worker: string;
    }
  /** A fault was injected into the workers, the network or the store. */
  | {
      readonly kind: 'fault';
      readonly at: number;
      readonly from: number;
      readonly name: string;
      /** The fault was the only one, and is documented to cost no permit. */
      readonly isLossless: boolean;
    }
  /** There were no faults, or only harmless ones. */
  | { readonly kind: 'calm'; readonly at: number; readonly from: number };

/** The events of one limit, and those that concern all limits, in the order of `at`. */
export interface Log {
  readonly limit: number;
  /** Milliseconds. */
  readonly lease: number;
  /** How long a lease was certain after its request was sent. */
  readonly certain: number;
  /** Maximum time until the permits of a dead process were available. */
  readonly maxRecovery: number;
  readonly events: readonly Event[];
}

export function eventsOf<K extends Event['kind']>(
  log: Log,
  kind: K,
): Extract<Event, { kind: K }>[] {
  return log.events.filter((event) => event.kind === kind) as Extract<Event, { kind: K }>[];
}
