/** What a server is measured in. All limiters of a situation are given the same limit and line. */
export interface Situation {
  limit: number;
  /** How many may wait. */
  queueLimit: number;
  connections: number;
  /** Whether the handler takes a turn of the event loop, so that requests are in flight together. */
  takesATurn: boolean;
  /** Whether a request that is never answered holds the only place, so that all others are rejected. */
  held: boolean;
}

export const situations = {
  free: { limit: 1_000, queueLimit: 1_000, connections: 64, takesATurn: false, held: false },
  line: { limit: 10, queueLimit: 1_000, connections: 256, takesATurn: true, held: false },
  rejecting: { limit: 1, queueLimit: 0, connections: 64, takesATurn: false, held: true },
} satisfies Record<string, Situation>;

export type SituationName = keyof typeof situations;

/** The bare handler's answer. */
export const answer = { id: 42, name: 'headgate', items: [1, 2, 3] };

/** Requests to this path are never answered. */
export const holdPath = '/hold';

/** A middleware's server: listens on a free port, which it returns. */
export type Serve = (situation: Situation) => Promise<number>;
