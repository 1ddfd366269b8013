/** A load situation. All limiters in a situation have the same limit and queue length. */
export interface Situation {
  limit: number;
  /** Maximum number of waiting requests. */
  queueLimit: number;
  connections: number;
  /** Whether the handler waits for one iteration of the event loop, so that requests overlap. */
  takesATurn: boolean;
  /** Whether a request that is never answered holds the only permit, so that all others are rejected. */
  held: boolean;
}

export const situations = {
  free: { limit: 1_000, queueLimit: 1_000, connections: 64, takesATurn: false, held: false },
  queueing: { limit: 10, queueLimit: 1_000, connections: 256, takesATurn: true, held: false },
  rejecting: { limit: 1, queueLimit: 0, connections: 64, takesATurn: false, held: true },
} satisfies Record<string, Situation>;

export type SituationName = keyof typeof situations;

/** The response of the bare handler. */
export const answer = { id: 42, name: 'headgate', items: [1, 2, 3] };

/** Requests to this path are never answered. */
export const holdPath = '/hold';

/** Starts a server with a middleware; resolves to its port. */
export type Serve = (situation: Situation) => Promise<number>;
