/**
 * What the work of a store comes to, which never fails; undefined where its time, in milliseconds, is over before that,
 * which it can ask.
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
