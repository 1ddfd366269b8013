/**
 * The first signal to end. Listened for before anything else is loaded, which takes some tenths of a second: whoever
 * starts a server may end it at once. A second signal changes nothing: a terminal and npx send two, and blocked requests
 * are to be answered.
 */
export const ending: Promise<string> = new Promise((resolve) => {
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, resolve);
});
