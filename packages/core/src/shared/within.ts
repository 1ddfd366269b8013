/**
 * Resolves to what a store's work comes to, or to undefined after so many milliseconds. The work must never reject; it
 * can ask whether it is late.
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
    // What it sends is on its way before anything else is done.
    const working = work(() => isLate);
    const due = performance.now() + timeout;
    // While the event loop was busy nothing was sent and no answer read: that time does not count, once.
    let timer = setTimeout(() => {
      const lost = performance.now() - due;
      timer = setTimeout(end, Math.min(lost, timeout));
    }, timeout);
    working.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}
