import { readFileSync } from 'node:fs';
import { urlToHttpOptions } from 'node:url';
import { parseArgs } from 'node:util';
import type { Call } from '../load/index.ts';
import { CommandError } from '../output.ts';

const options = {
  running: { type: 'boolean', default: false },
  weights: { type: 'string' },
  headers: { type: 'string' },
  body: { type: 'string' },
  limit: { type: 'string' },
  route: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  report: { type: 'string' },
  'i-may-load': { type: 'string' },
} as const;

/** What is tried, and how. */
export type TryOptions = ReturnType<typeof optionsOf>;

/** @throws CommandError for wrong usage, that of `parseArgs`, and for a file that cannot be read. */
export function optionsOf(args: readonly string[], env = process.env) {
  const [own, command] = splitAtDashes(args);
  const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true });
  const { running, weights, limit, route, headers, body, quick, json, report } = values;
  // The server that comes with this package.
  const isBundled = positionals.length === 0 && command.length === 0 && !running;
  if (!isBundled && positionals.length === 0) throw new CommandError('a URL is missing');
  if (!isBundled && !running && command.length === 0)
    throw new CommandError(
      'the command that starts the server is missing: end with -- node server.js',
    );
  if (running && (limit ?? route) !== undefined)
    throw new CommandError('with --running, no limit is set: --limit and --route need a command');
  if (running && command.length > 0) throw new CommandError('with --running, nothing is started');
  const urls = positionals.map(urlOf);
  checkHosts(urls, values['i-may-load']);
  return {
    ...{ urls, command, isBundled, quick, json },
    weights: weightsOf(weights, urls.length),
    headers: headers === undefined ? {} : headersOf(read(headers).toString()),
    /** Sent with POST. */
    body: body === undefined ? undefined : read(body),
    /** The value of `HEADGATE` for the passes with the hook; undefined: that of the environment. */
    configuration: configurationOf(limit, route, env.HEADGATE),
    /** Where the report is written; undefined: a file among the temporary ones. */
    report,
  };
}

/** What follows the first `--` is the command. */
function splitAtDashes(args: readonly string[]): [own: readonly string[], command: string[]] {
  const dashes = args.indexOf('--');
  return dashes === -1 ? [args, []] : [args.slice(0, dashes), args.slice(dashes + 1)];
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new CommandError(`expected a URL such as http://localhost:3000/report, got ${text}`);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function checkHosts(urls: readonly URL[], allowed: string | undefined): void {
  for (const { hostname, origin } of urls) {
    if (!LOOPBACK.test(hostname) && hostname !== allowed)
      throw new CommandError(
        `${hostname} is not this machine. If you may overload it: --i-may-load ${hostname}`,
      );
    if (origin !== urls[0]?.origin)
      throw new CommandError(`all URLs must be of one server; ${origin} is not ${urls[0]?.origin}`);
  }
}

function weightsOf(text: string | undefined, count: number): number[] {
  const weights = text?.split(',').map(Number) ?? Array.from({ length: count }, () => 1);
  if (weights.length === count && weights.every((weight) => weight > 0 && weight < Infinity))
    return weights;
  throw new CommandError(
    `--weights: expected ${count} positive numbers, one for each URL, got ${text}`,
  );
}

/** Returns the request to send to each URL. */
export function callsOf({ urls, headers, body }: TryOptions): Call[] {
  const length = body === undefined ? {} : { 'content-length': body.length };
  return urls.map((url) => ({
    ...urlToHttpOptions(url),
    ...{ body, method: body === undefined ? 'GET' : 'POST', headers: { ...length, ...headers } },
    // A certificate for this machine is a self-signed one.
    rejectUnauthorized: !LOOPBACK.test(url.hostname),
  }));
}

/** Lines such as `Authorization: Bearer …`. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w-]+):\s*([\t -~\u0080-\u00ff]*?)\s*$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name.toLowerCase(), value];
      throw new CommandError(`--headers: expected lines such as "Accept: text/html", got ${line}`);
    }),
  );
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`, 1);
  }
}

/** Adds `--limit` and `--route` to what `HEADGATE` says. */
function configurationOf(limit?: string, route?: string, inherited = ''): string | undefined {
  if (limit === undefined && route === undefined) return undefined;
  if (limit !== undefined && !(Number.isInteger(Number(limit)) && Number(limit) > 0))
    throw new CommandError(`--limit: expected a positive whole number, got ${limit}`);
  if (inherited !== '' && !inherited.trim().startsWith('{'))
    throw new CommandError('--limit and --route: HEADGATE names a file; change the limit there');
  try {
    const others = JSON.parse(inherited || '{}');
    if (limit !== undefined) others.limit = Number(limit);
    if (route !== undefined) others.route = route;
    return JSON.stringify(others);
  } catch (error) {
    throw new CommandError(`HEADGATE is no JSON: ${(error as Error).message}`);
  }
}
