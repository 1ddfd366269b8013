import { systemClock } from '@headgate/core';
import { startTimer } from '@headgate/core/engine';

/**
 * Calls `end` after `time` milliseconds, unless the returned function is called before. If the timer is late, the event
 * loop was busy, and could neither send nor read meanwhile. So the time is extended once, by as much as the timer was
 * late, up to `maxExtension`.
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
    // The value is negative if the timer fires early, by less than a millisecond; Node 24 warns of negative timeouts.
    const lateBy = systemClock.now() - due;
    const extension = Math.max(0, Math.min(lateBy, maxExtension));
    cancel = startTimer(systemClock, extension, end, background);
  };
  let cancel = startTimer(systemClock, time, extend, background);
  return () => cancel();
}
