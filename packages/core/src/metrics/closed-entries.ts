/** Maximum number of closed limits, and of closed stores, that are kept until they are collected once more. */
const MAX_CLOSED = 100;

/**
 * The entries that are done, and await their last collection. Removes the oldest ones beyond `MAX_CLOSED` first: an app
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
