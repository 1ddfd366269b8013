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
    const due = performance.now() + timeout;
    // A busy event loop sends nothing and reads no answer, so the time by which the timer is late is added: once only.
    let timer = setTimeout(() => {
      // Negative if the timer fires early, by less than a millisecond; Node 24 warns of that.
      const lateBy = performance.now() - due;
      timer = setTimeout(end, Math.max(0, Math.min(lateBy, timeout)));
    }, timeout);
    working.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}
