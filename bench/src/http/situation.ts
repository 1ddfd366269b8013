/** The conditions in which a server is measured. All limiters of a situation have the same limit and queue limit. */
export interface Situation {
  limit: number;
  /** The queue limit. */
  queueLimit: number;
  connections: number;
  /** Whether the handler waits for an event-loop iteration, so that requests are in flight together. */
  takesATurn: boolean;
  /** Whether a request that is never answered holds the only permit, so that all others are rejected. */
  held: boolean;
}

export const situations = {
  free: { limit: 1_000, queueLimit: 1_000, connections: 64, takesATurn: false, held: false },
  line: { limit: 10, queueLimit: 1_000, connections: 256, takesATurn: true, held: false },
  rejecting: { limit: 1, queueLimit: 0, connections: 64, takesATurn: false, held: true },
} satisfies Record<string, Situation>;

export type SituationName = keyof typeof situations;

/** The response of the bare handler. */
export const answer = { id: 42, name: 'headgate', items: [1, 2, 3] };

/** Requests to this path never get a response. */
export const holdPath = '/hold';

/** A server with this middleware: listens on a free port, which it returns. */
export type Serve = (situation: Situation) => Promise<number>;
