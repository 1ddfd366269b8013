import { warn } from './warning.ts';

/** The sources that have thrown when they were read last. */
const failing = new WeakSet<object>();

/**
 * Returns what `read` returns. If it throws, as code of the application may, returns undefined and warns the operator:
 * once for each source, until reading it has worked again.
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

/** Reads the statistics of one source. If it throws, those of other sources can still be read. */
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
