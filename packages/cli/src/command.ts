import { doctor } from './doctor/doctor.ts';
import { CommandError, type Output } from './output.ts';
import { suggest } from './suggest/suggest.ts';
import type { Internals } from './try/passes.ts';
import { tryServer } from './try/try.ts';

const usage = `headgate try URL... [options] -- COMMAND

  Shows whether Headgate helps a server in a spike: starts it by COMMAND without and with the hook, in turns, sends five
  times its capacity and then half of it, for 90 seconds. Without a URL and a command, tries a server that comes with it.
  URL: an expensive page, such as http://localhost:3000/report; the server gets PORT=3000
  --limit N            a limit instead of the default one, for --route 'POST /reports/:id' or all requests
  --weights 3,1        how often each of several URLs is requested
  --headers FILE       lines such as Accept: text/html
  --body FILE          sent with POST
  --running            measures a server that runs already, and compares nothing
  --i-may-load HOST    allows a host other than this machine
  --quick              two passes instead of six
  --json, --report FILE

headgate suggest LOG... [--route PATTERN] [--key addr] [--json]

  Suggests a limit for each route from access logs: of nginx, Caddy, pino-http or morgan, with durations.
  LOG: a file, also gzipped, or - for standard input
  --route PATTERN  only requests whose path matches, as one route; * stands for any characters
  --key addr       also suggests a limit for each client
  --json           the result as JSON

headgate doctor [FOLDER]

  Finds mistakes in the setup of an app, without running it: versions, copies of Headgate, proxies, processes.
`;

/**
 * Runs the command. Resolves to its exit code: 0; 1 if a file cannot be read, a server cannot be measured or the setup of
 * an app is wrong; 2 for wrong usage, and without a result.
 */
export async function run(
  args: readonly string[],
  output: Output,
  internals?: Internals,
): Promise<number> {
  const { stdout, stderr } = output;
  const [name, ...rest] = args;
  const isHelp = rest.includes('--help') && !rest.includes('--');
  if (isHelp || name === '--help' || name === '-h' || name === 'help') {
    stdout.write(usage);
    return 0;
  }
  try {
    if (name === 'try') return await tryServer(rest, output, internals);
    if (name === 'suggest') {
      stdout.write(await suggest(rest, stderr));
      return 0;
    }
    if (name === 'doctor') {
      const { text, code } = doctor(rest);
      stdout.write(text);
      return code;
    }
  } catch (error) {
    const {
      message,
      code = '',
      exitCode = 2,
    } = error as Partial<CommandError> & NodeJS.ErrnoException;
    const isUsage = code.startsWith('ERR_PARSE_ARGS_');
    if (!isUsage && !(error instanceof CommandError)) throw error;
    // Further sentences of Node are about arguments that begin with a dash.
    stderr.write(`headgate ${name}: ${isUsage ? message.split('. ')[0] : message}\n`);
    return exitCode;
  }
  const problem = name === undefined ? 'a command is missing' : `unknown command: ${name}`;
  stderr.write(`${usage}\nheadgate: ${problem}\n`);
  return 2;
}
