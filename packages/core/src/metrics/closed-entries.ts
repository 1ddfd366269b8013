/** Maximum number of closed limits, and of closed stores, that are kept until their last collection. */
const MAX_CLOSED = 100;

/**
 * The closed entries that still need a last collection. First removes the oldest entries beyond `MAX_CLOSED`: an app
 * that is never scraped must not accumulate them.
 */
export function boundedDone<E>(
  entries: Iterable<E>,
  isDone: (entry: E) => boolean,
  remove: (entry: E) => void,
): readonly E[] {
  const done = [...entries].filter(isDone);
  for (const entry of done.splice(0, done.length - MAX_CLOSED)) remove(entry);
  return done;
}
