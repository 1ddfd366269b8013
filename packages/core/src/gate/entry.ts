import { HeadgateError } from '../errors.ts';

/** How errors name an entry of `limits`; undefined for a limit that was written without it. */
export function entryOf(isList: boolean, index: number): string | undefined {
  return isList ? `limits[${index}]` : undefined;
}

/** Names the entry in an error about one of its own options. */
export function inEntry<T>(entry: string | undefined, own: readonly string[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (entry === undefined || !(error instanceof HeadgateError)) throw error;
    const { code, message, option = '' } = error;
    const [name = ''] = option.split('.');
    // The error of an unknown option has the entry as its subject.
    if (code === 'ERR_HEADGATE_UNKNOWN_OPTION' || !own.includes(name)) throw error;
    const text = message.startsWith(name) ? `${entry}.${message}` : `${entry}: ${message}`;
    throw new HeadgateError(code, text, `${entry}.${option}`);
  }
}
