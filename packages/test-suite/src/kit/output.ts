import { onTestFinished, vi } from 'vitest';

/**
 * Collects the process warnings with this code until the test ends, instead of printing them. Other warnings are
 * printed. A process emits each code only once, so an earlier test of the file may have caused the warning already.
 */
export function collectWarnings(code: string): readonly string[] {
  const messages: string[] = [];
  const { emitWarning } = process;
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning, options) => {
    const isExpected = (options as { code?: string } | undefined)?.code === code;
    if (isExpected) messages.push(`${warning}`);
    else emitWarning.call(process, warning, options as { code?: string });
  });
  onTestFinished(() => spy.mockRestore());
  return messages;
}

/** Collects the errors that reach the console with this message until the test ends. Other errors are printed. */
export function collectErrors(message: RegExp): readonly unknown[] {
  const errors: unknown[] = [];
  const { error: print } = console;
  const spy = vi.spyOn(console, 'error').mockImplementation((...args) => {
    if (message.test(String(args[0]))) errors.push(args[0]);
    else print(...args);
  });
  onTestFinished(() => spy.mockRestore());
  return errors;
}
