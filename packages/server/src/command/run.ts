import { HeadgateError } from '@headgate/core';
import { CommanderError } from 'commander';
import { ConfigurationError } from '../configuration/configuration.ts';
import { parseArguments } from './arguments.ts';
import { serve } from './serve.ts';

/** A command line or a configuration that makes no sense. */
const misused = 2;
/** A port that is taken, a file that cannot be read. */
const failed = 1;

/** Resolves to the exit code. */
export async function run(argv: readonly string[], ending: Promise<string>): Promise<number> {
  try {
    await serve(parseArguments(argv), ending);
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  }
}

/** What has been said already is not said again. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : misused;
  process.stderr.write(`headgate-server: ${(error as Error).message}\n`);
  const isMisuse = error instanceof ConfigurationError || error instanceof HeadgateError;
  return isMisuse ? misused : failed;
}
