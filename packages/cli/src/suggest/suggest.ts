import { parseArgs } from 'node:util';
import { CommandError, type Output } from '../output.ts';
import { linesOf } from './log-files.ts';
import { LogSummary } from './log-summary.ts';
import { resultOf, textOf } from './result.ts';

/**
 * `headgate suggest`: suggests a limit for each route from access logs.
 *
 * @returns What to print.
 * @throws CommandError for wrong usage, a file that cannot be read, and a log without durations.
 */
export async function suggest(args: readonly string[], stderr: Output['stderr']): Promise<string> {
  const { files, route, json } = parse(args);
  const log = new LogSummary(route);
  for await (const line of linesOf(files)) log.add(line);
  if (log.all.requests === 0) throw new CommandError(whyEmpty(log, route));
  for (const [reason, { count, first }] of log.unread) {
    stderr.write(`${count} lines were not counted: ${reason}. The first: ${first.slice(0, 300)}\n`);
  }
  const result = resultOf(log, route);
  return json ? `${JSON.stringify(result, null, 2)}\n` : textOf(result);
}

function parse(args: readonly string[]) {
  try {
    const options = { route: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length === 0) throw new Error('an access log is missing; - is standard input');
    return { files: positionals, route: values.route, json: values.json === true };
  } catch (error) {
    throw new CommandError(`suggest: ${(error as Error).message}`);
  }
}

/** Says what to change if a log contains nothing to measure. */
function whyEmpty({ lines, unread }: LogSummary, route: string | undefined): string {
  if (lines === 0) return 'the log is empty';
  const withoutDuration = unread.get('no duration');
  if (withoutDuration !== undefined) {
    return `no line says how long the request took. The first: ${withoutDuration.first.slice(0, 300)}
  nginx: add rt=$request_time urt=$upstream_response_time to its log_format
  morgan: use a format with :response-time ms, such as 'dev' plus [:date[clf]] and ":method :url", or 'combined' plus it
  pino-http and Caddy write it by default`;
  }
  const unknown = unread.get('no known format');
  if (unknown !== undefined && unknown.count === lines) {
    return `no line has a known format: nginx, Caddy, pino-http and morgan, with durations. The first: ${unknown.first.slice(0, 300)}`;
  }
  return route === undefined ? 'no request was answered' : `no path matches ${route}`;
}
