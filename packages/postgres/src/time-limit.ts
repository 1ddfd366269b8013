/** Maximum milliseconds that are added for a busy event loop: enough to read what has arrived meanwhile. */
const MAX_EXTENSION = 100;

/**
 * Calls `end` after `time` milliseconds, unless the returned function is called before. A busy event loop reads no
 * answer, so the time by which the timer is late is added once. The sum is bounded, because a process must notice in
 * time that the server has ended its sessions.
 */
export function limitTime(time: number, end: () => void): () => void {
  const due = performance.now() + time;
  let timer = setTimeout(() => {
    // Negative if the timer fires early, by less than a millisecond; Node 24 warns of that.
    const lateBy = performance.now() - due;
    timer = setTimeout(end, Math.max(0, Math.min(lateBy, MAX_EXTENSION))).unref();
  }, time).unref();
  return () => clearTimeout(timer);
}
