/**
 * Resolves with the first SIGTERM or SIGINT. The handlers are registered before anything else is loaded, because
 * loading takes some tenths of a second and the server may be stopped at once. Further signals are ignored: a terminal
 * and npx both forward the same one, and blocked requests must still be answered.
 */
export const shutdownSignal: Promise<string> = new Promise((resolve) => {
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, resolve);
});
