import { warn } from './warning.ts';

/** What has thrown when it was read last. */
const failing = new WeakSet<object>();

/**
 * Reads something of the application, whose code may throw: returns undefined then, and warns the operator, but once for
 * each source until reading it has worked again.
 */
export function readOrWarn<T>(
  source: object,
  code: `HEADGATE_${string}`,
  problem: string,
  read: () => T,
): T | undefined {
  try {
    const result = read();
    failing.delete(source);
    return result;
  } catch (error) {
    const isNew = !failing.has(source);
    failing.add(source);
    if (isNew) warn(code, `${problem}: ${textOf(error)}`);
    return undefined;
  }
}

/** Reads statistics that one source alone must not keep from being read. */
export function readStats<T>(source: object, owner: string, read: () => T): T | undefined {
  return readOrWarn(source, 'HEADGATE_STATS', `the statistics of ${owner} cannot be read`, read);
}

/** A template cannot contain a symbol, nor an object without a prototype. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'the function has thrown an object that has no text';
  }
}
