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
    // A busy event loop sends nothing and reads no answer: that time does not count, but is only forgiven once.
    let timer = setTimeout(() => {
      // Negative if the timer fires early, by less than a millisecond; Node 24 warns of that.
      const lost = performance.now() - due;
      timer = setTimeout(end, Math.max(0, Math.min(lost, timeout)));
    }, timeout);
    working.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}
