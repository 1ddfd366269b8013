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

/**
 * Resolves to the result of a store's work, or to undefined after `timeout` milliseconds. The work must never reject;
 * it can check whether it is late.
 */
export function within<T>(
  timeout: number,
  work: (isLate: () => boolean) => Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    let isLate = false;
    const end = () => {
      isLate = true;
      resolve(undefined);
    };
    // Started first, so that its request is sent before anything else happens.
    const working = work(() => isLate);
    const cancel = limitTime(timeout, timeout, end);
    working.then((result) => {
      cancel();
      resolve(result);
    });
  });
}
