export interface Protection {
  readonly limit: number;
  readonly queueLimit: number;
  readonly queueTimeout: number;
}

const queueTime = 0.3;

/** Chooses the limits for a server that can compute `capacity` hashes per second. */
export function protect(capacity: number, threads: number, cores: number): Protection {
  return {
    // A hash occupies one libuv thread and one core. Further hashes would wait in libuv's own queue, which is
    // unbounded, hidden and cannot be left; more hashes than cores would share the cores and each take longer.
    limit: Math.min(threads, cores),
    // Little's law: a queue of as many requests as the server answers in 0.3 s has a wait of 0.3 s.
    queueLimit: Math.max(1, Math.floor(capacity * queueTime)),
    // Takes effect only if the machine slows down while requests are queued. Leaves half of the client's second for the
    // hash.
    queueTimeout: 500,
  };
}
