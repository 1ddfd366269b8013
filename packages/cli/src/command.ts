import { CommandError, type Output } from './output.ts';
import { suggest } from './suggest/suggest.ts';

const usage = `headgate suggest LOG... [--route PATTERN] [--json]

  Suggests a limit for each route from access logs: of nginx, Caddy, pino-http or morgan, with durations.
  LOG: a file, also gzipped, or - for standard input
  --route PATTERN  only requests whose path matches, as one route; * stands for any characters
  --json           the result as JSON
`;

/** Runs the command. Resolves to its exit code: 0; 1 if a file cannot be read; 2 for wrong usage or a log without a result. */
export async function run(args: readonly string[], { stdout, stderr }: Output): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === 'suggest') {
      stdout.write(await suggest(rest, stderr));
      return 0;
    }
    if (name === '--help' || name === '-h' || name === 'help') {
      stdout.write(usage);
      return 0;
    }
    throw new CommandError(
      `${name === undefined ? 'a command is missing' : `unknown command: ${name}`}\n\n${usage}`,
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    stderr.write(`headgate: ${error.message.trimEnd()}\n`);
    return error.exitCode;
  }
}
