const events = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Calls `run`, and returns the errors that have surfaced as uncaught exceptions by the time it has settled. These
 * include unhandled rejections, unless something listens for them.
 */
export async function uncaughtIn(run: () => unknown): Promise<unknown[]> {
  const usual = events.map((event) => [event, process.listeners(event as never)] as const);
  const caught: unknown[] = [];
  for (const event of events) process.removeAllListeners(event);
  process.on('uncaughtException', (error) => caught.push(error));
  try {
    await run();
  } finally {
    await new Promise(setImmediate);
    process.removeAllListeners('uncaughtException');
    for (const [event, listeners] of usual) {
      for (const listener of listeners) process.on(event, listener);
    }
  }
  return caught;
}
