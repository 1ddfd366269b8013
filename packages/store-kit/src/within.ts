import { limitTime } from './limit-time.ts';

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
