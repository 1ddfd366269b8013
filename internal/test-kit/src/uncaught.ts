/** Calls `run`, and returns the errors that have surfaced as uncaught exceptions until it has settled. */
export async function uncaughtIn(run: () => unknown): Promise<unknown[]> {
  const usual = process.listeners('uncaughtException');
  const caught: unknown[] = [];
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => caught.push(error));
  try {
    await run();
  } finally {
    await new Promise(setImmediate);
    process.removeAllListeners('uncaughtException');
    for (const listener of usual) process.on('uncaughtException', listener);
  }
  return caught;
}
