/**
 * The thrown value, replaced by an Error if it is null or undefined: frameworks would take that for success or send
 * no response.
 */
export function reasonOf(thrown: unknown): unknown {
  return thrown ?? new Error('failed without a reason');
}

/** Wraps a function so that it never rejects with null or undefined. */
export function withReason<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result | Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      return await call(...args);
    } catch (error) {
      throw reasonOf(error);
    }
  };
}
