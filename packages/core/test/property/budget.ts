/** `npm run test:soak` gives the properties a time instead of a number of runs. */
const soakSeconds = Number(process.env.HEADGATE_SOAK_SECONDS ?? 0);

const soaking = soakSeconds > 0;

/** How long a property goes on, as parameters of `fc.assert`: a file's properties share the time of a soak. */
export function budget(numRuns: number, share = 1) {
  if (!soaking) return { numRuns };
  return { numRuns: Number.POSITIVE_INFINITY, interruptAfterTimeLimit: soakSeconds * 1000 * share };
}

/** How long vitest lets a property run, in milliseconds. */
export const patience = soaking ? 0 : 120_000;
