/** Also true for thenables, which some libraries return instead of promises: handlers may return any value. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
