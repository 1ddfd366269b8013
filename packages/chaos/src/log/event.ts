/** Of a call at one of the limits. */
interface Call {
  /** As `stamp` says. */
  readonly at: number;
  readonly worker: string;
  readonly limit: number;
  /** Counted by the worker. */
  readonly call: number;
}

/** From when to when, at the latest. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A wait as the worker's store saw it. */
export interface Wait {
  readonly at: number;
  readonly worker: string;
  readonly limit: number;
  readonly id: string;
  /** When the process asked to enter the queue. */
  readonly asked: number;
  /** After which it is not granted any more. */
  readonly deadline: number;
  /** None where it was let in before it was told, or where the store has none. */
  readonly place: string | undefined;
  /** When it was asked for, and when the answer said that it waits: at first, and at each renewal. */
  readonly seen: readonly Span[];
  /** It was let in after the one and before the other. */
  readonly entered: Span | undefined;
}

/** How a limit stands when all has been quiet for a lease and a second. */
interface Probe {
  readonly from: number;
  readonly at: number;
  readonly limit: number;
  /** How many of as many as the limit allows were let in at once. */
  readonly admitted: number;
  readonly inflight: number;
  readonly queued: number;
}

/** A process was killed that held a permit, and another one, which waited for it, has got it or not. */
interface Inheritance {
  readonly from: number;
  readonly at: number;
  readonly limit: number;
  readonly admitted: boolean;
}

export type Event =
  | (Call & { readonly kind: 'wanted'; readonly weight: number; readonly patience: number })
  | (Call & { readonly kind: 'granted'; readonly fencing: string | undefined })
  /** The work ended: done, or because the permit's signal aborted. */
  | (Call & { readonly kind: 'ended'; readonly aborted: boolean })
  | (Call & { readonly kind: 'released' })
  | (Call & { readonly kind: 'rejected'; readonly reason: string })
  | (Call & { readonly kind: 'withdrew' })
  /** At the resource, which has its own order; `from` is when the worker asked. */
  | (Call & {
      readonly kind: 'wrote';
      readonly from: number;
      readonly fencing: string | undefined;
      readonly accepted: boolean;
    })
  | (Wait & { readonly kind: 'waited' })
  | (Probe & { readonly kind: 'probed' })
  | (Inheritance & { readonly kind: 'inherited' })
  /** The worker's loop did not turn: it found that out itself. */
  | {
      readonly kind: 'stalled';
      readonly at: number;
      readonly worker: string;
      readonly from: number;
    }
  /** The worker was stopped, and went on. */
  | { readonly kind: 'paused'; readonly at: number; readonly worker: string; readonly from: number }
  | { readonly kind: 'failed'; readonly at: number; readonly worker: string; readonly what: string }
  | { readonly kind: 'killed'; readonly at: number; readonly worker: string }
  | { readonly kind: 'exited'; readonly at: number; readonly worker: string; readonly how: string }
  /** The store forgot what it knew, or part of it. */
  | { readonly kind: 'lost'; readonly at: number; readonly from: number }
  /** The server ended connections: of this worker, or of all. */
  | {
      readonly kind: 'disconnected';
      readonly at: number;
      readonly from: number;
      readonly worker?: string;
    }
  /** What the server says did not reach the worker meanwhile, or late. */
  | { readonly kind: 'deaf'; readonly at: number; readonly from: number; readonly worker: string }
  /** Anything that was done to the workers, the network or the store. */
  | {
      readonly kind: 'fault';
      readonly at: number;
      readonly from: number;
      readonly name: string;
      /** Nothing else was wrong, and it is promised to cost no permit. */
      readonly isCostless: boolean;
    }
  /** All was well, or nothing came but what has to be harmless. */
  | { readonly kind: 'calm'; readonly at: number; readonly from: number };

/** What was noted of one limit, and of all; in order of `at`. */
export interface Log {
  readonly limit: number;
  /** Milliseconds. */
  readonly lease: number;
  /** For so much of it, from when it was asked for, it was certain. */
  readonly certain: number;
  /** After which others had what a dead process held. */
  readonly back: number;
  readonly events: readonly Event[];
}

export function eventsOf<K extends Event['kind']>(
  log: Log,
  kind: K,
): Extract<Event, { kind: K }>[] {
  return log.events.filter((event) => event.kind === kind) as Extract<Event, { kind: K }>[];
}
