import { warn } from './warning.ts';

/** The sources whose latest read has thrown. */
const failing = new WeakSet<object>();

/**
 * Returns the result of `read`, which may call code of the application. If it throws, returns undefined and warns the
 * operator: once for each source, and again only after a read of it has succeeded.
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

/** Reads the statistics of one source. If it throws, the statistics of other sources can still be read. */
export function readStats<T>(source: object, owner: string, read: () => T): T | undefined {
  return readOrWarn(source, 'HEADGATE_STATS', `the statistics of ${owner} cannot be read`, read);
}

/** A template literal would throw for a symbol, and for an object without a prototype. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'the function has thrown an object that has no text';
  }
}
