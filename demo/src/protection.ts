export interface Protection {
  readonly limit: number;
  readonly queueLimit: number;
  readonly queueTimeout: number;
}

const lineTime = 0.3;

/** Chooses the limits of a server that can compute `capacity` hashes per second. */
export function protect(capacity: number, threads: number, cores: number): Protection {
  return {
    // A hash occupies one of libuv's threads and one core. More hashes than threads would wait in libuv's own queue,
    // which cannot be observed, bounded or left; more than cores would share them, and each take longer.
    limit: Math.min(threads, cores),
    // Little's law: with a queue of what the server answers in 0.3 s, the wait is 0.3 s.
    queueLimit: Math.max(1, Math.floor(capacity * lineTime)),
    // The queue limit already bounds the wait; the timeout applies if the machine slows down meanwhile. Half of the
    // visitor's second remains for the hashing.
    queueTimeout: 500,
  };
}
