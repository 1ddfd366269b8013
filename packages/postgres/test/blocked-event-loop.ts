/** Blocks the event loop for this many milliseconds, like a long computation. */
export function blockEventLoop(duration: number): void {
  const until = performance.now() + duration;
  while (performance.now() < until);
}
