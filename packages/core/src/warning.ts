export const warned = new Set<string>();

/**
 * Warns the operator once per process, or once per `subject`. If `message` is a function, it is called only if the
 * warning is emitted.
 */
export function warnOnce(
  code: `HEADGATE_${string}`,
  message: string | (() => string),
  subject = '',
): void {
  if (warned.has(code + subject)) return;
  warned.add(code + subject);
  warn(code, typeof message === 'string' ? message : message());
}

/** Warns the operator through `process.emitWarning`, or `console.warn` in runtimes without it. */
export function warn(code: `HEADGATE_${string}`, message: string): void {
  const text = `${message} (@headgate/core/docs/errors.md, ${code})`;
  const { process } = globalThis as {
    process?: { emitWarning?(message: string, options: { code: string }): void };
  };
  if (process?.emitWarning) process.emitWarning(text, { code });
  else console.warn(`${code}: ${text}`);
}
