/** A load situation. All limiters in a situation have the same limit and queue length. */
export interface Situation {
  /** Undefined: the default limit of Headgate. */
  limit?: number;
  /** Maximum number of waiting requests. */
  queueLimit?: number;
  /** Clients that each send the next request after the response, or requests per second at random times. */
  offered: { connections: number } | { rate: number };
  /** Whether the handler waits for one iteration of the event loop, so that requests overlap. */
  takesATurn: boolean;
  /** Whether a request that is never answered holds the only permit, so that all others are rejected. */
  held: boolean;
}

/** A situation with fixed limits, which the default limit does not have. */
export type LimitedSituation = Situation & { limit: number; queueLimit: number };

const base = { takesATurn: false, held: false, offered: { connections: 64 } };

export const situations = {
  free: { ...base, limit: 1_000, queueLimit: 1_000 },
  queueing: {
    ...{ limit: 10, queueLimit: 1_000, offered: { connections: 256 } },
    ...{ takesATurn: true, held: false },
  },
  rejecting: { ...base, limit: 1, queueLimit: 0, held: true },
  calm: { ...base, offered: { rate: 500 } },
} satisfies Record<string, Situation>;

export type SituationName = keyof typeof situations;

/** The response of the bare handler. */
export const answer = { id: 42, name: 'headgate', items: [1, 2, 3] };

/** Starts a server with a middleware; resolves to its port. */
export type Serve = (situation: Situation) => Promise<number>;
