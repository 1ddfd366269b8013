import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { CommandError, type Output } from '../output.ts';
import { LogSummary } from './log-summary.ts';
import { resultOf, textOf } from './result.ts';

const options = {
  route: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/**
 * `headgate suggest`: suggests a limit for each route from access logs.
 *
 * @returns What to print.
 * @throws CommandError for wrong usage, a file that cannot be read, and a log without durations.
 */
export async function suggest(args: readonly string[], stderr: Output['stderr']): Promise<string> {
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  const { values, positionals: files } = parsed;
  const { route, key, json } = values;
  if (files.length === 0) throw new CommandError('an access log is missing; - is standard input');
  if (key !== undefined && key !== 'addr')
    throw new CommandError(`--key: expected addr, the address of the client, got ${key}`);
  const hasClients = key !== undefined;
  const log = new LogSummary(route, hasClients);
  for await (const line of linesOf(files)) log.add(line);
  if (log.all.requests === 0) throw new CommandError(whyEmpty(log, route));
  for (const [reason, { count, first }] of log.unread) {
    stderr.write(`${count} lines were not counted: ${reason}. The first: ${first.slice(0, 300)}\n`);
  }
  const result = resultOf(log, route, hasClients);
  return json ? `${JSON.stringify(result, null, 2)}\n` : textOf(result);
}

/**
 * The lines of these files, one after the other. `-` is standard input; names that end in `.gz` are decompressed.
 *
 * @throws CommandError for a file that cannot be read.
 */
async function* linesOf(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files) {
    try {
      for await (const line of createInterface({ input: open(file), crlfDelay: Infinity }))
        yield line;
    } catch (error) {
      throw new CommandError(`${file}: ${(error as Error).message}`, 1);
    }
  }
}

function open(file: string): Readable {
  if (file === '-') return process.stdin;
  const bytes = createReadStream(file);
  if (!file.endsWith('.gz')) return bytes;
  const text = createGunzip();
  bytes.on('error', (error) => text.destroy(error));
  return bytes.pipe(text);
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
