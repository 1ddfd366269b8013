export interface Protection {
  readonly limit: number;
  readonly queueLimit: number;
  readonly queueTimeout: number;
}

const lineTime = 0.3;

/** Chooses the limits of a server that can do `capacity` hashes a second. */
export function protect(capacity: number, threads: number, cores: number): Protection {
  return {
    // A hash keeps one of libuv's threads and one core busy. More of them at once than there are
    // threads would wait in libuv's own line, which nobody can see, bound or leave; more than there
    // are cores would share those, and each take longer.
    limit: Math.min(threads, cores),
    // Little's law: a line as long as what the server can do in 0.3 s is waited through in 0.3 s.
    queueLimit: Math.max(1, Math.floor(capacity * lineTime)),
    // The line is that short already; this holds should the machine slow down in the middle of it.
    // Half of the visitor's second is left for the hashing.
    queueTimeout: 500,
  };
}
