import { startTimer, systemClock } from '../clock.ts';

/**
 * Calls `end` after `time` milliseconds, unless the returned function is called before. A busy event loop sends nothing
 * and reads no answer, so the time by which the timer is late is added: once only, and at most `maxExtension`.
 *
 * @param background Whether the process may exit meanwhile.
 */
export function limitTime(
  time: number,
  maxExtension: number,
  end: () => void,
  background = false,
): () => void {
  const due = systemClock.now() + time;
  const extend = () => {
    // Negative if the timer fires early, by less than a millisecond; Node 24 warns of that.
    const lateBy = systemClock.now() - due;
    const extension = Math.max(0, Math.min(lateBy, maxExtension));
    cancel = startTimer(systemClock, extension, end, background);
  };
  let cancel = startTimer(systemClock, time, extend, background);
  return () => cancel();
}
