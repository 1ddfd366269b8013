/** What was thrown, for the framework's error handling: nothing at all would read as success there, or as no answer. */
export function reasonOf(thrown: unknown): unknown {
  return thrown ?? new Error('failed without a reason');
}

/** The same function, which rejects with a reason always. */
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
