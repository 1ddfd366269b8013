/** Accepts any thenable, since some libraries return thenables instead of promises. Handlers may return any value. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
