import { HeadgateError } from '@headgate/core';
import { CommanderError } from 'commander';
import { ConfigurationError } from '../configuration/configuration.ts';
import { parseArguments } from './arguments.ts';
import { serve } from './serve.ts';
import type { Signals } from './signals.ts';

/** The exit code for an invalid command line or configuration. */
const EXIT_MISUSED = 2;
/** The exit code for other failures: a port in use, an unreadable file. */
const EXIT_FAILED = 1;

/** Runs the command. Resolves to its exit code. */
export async function run(argv: readonly string[], signals: Signals): Promise<number> {
  try {
    await serve(parseArguments(argv), signals);
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  }
}

/** Commander's own errors are not printed again, since Commander has printed them. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_MISUSED;
  process.stderr.write(`headgate-server: ${(error as Error).message}\n`);
  const isMisuse = error instanceof ConfigurationError || error instanceof HeadgateError;
  return isMisuse ? EXIT_MISUSED : EXIT_FAILED;
}
