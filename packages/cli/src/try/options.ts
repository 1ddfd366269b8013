import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Call } from '../load/index.ts';
import { CommandError } from '../output.ts';

/** What is tried, and how. */
export interface TryOptions {
  readonly urls: readonly URL[];
  readonly weights: readonly number[];
  readonly headers: { readonly [name: string]: string };
  /** Sent with POST. */
  readonly body: Uint8Array | undefined;
  /** The program and its arguments; empty for a server that runs already. */
  readonly command: readonly string[];
  /** The value of `HEADGATE` for the passes with the hook; undefined: that of the environment. */
  readonly configuration: string | undefined;
  /** One pass with and one without the hook, instead of three each. */
  readonly isQuick: boolean;
  readonly isJson: boolean;
  /** Whether it is the server that comes with this package. */
  readonly isBundled: boolean;
  /** Where the report is written; undefined: a file among the temporary ones. */
  readonly report: string | undefined;
}

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

/** @throws CommandError for wrong usage, and for a file that cannot be read. */
export function optionsOf(args: readonly string[], env = process.env): TryOptions {
  const dashes = args.indexOf('--');
  const own = dashes === -1 ? args : args.slice(0, dashes);
  const command = dashes === -1 ? [] : args.slice(dashes + 1);
  const { values, positionals } = parsed(own);
  const { running, weights, limit, route, headers, body } = values;
  const isBundled = positionals.length === 0 && command.length === 0 && !running;
  if (!isBundled && positionals.length === 0) throw wrong('a URL is missing');
  if (!isBundled && !running && command.length === 0)
    throw wrong('the command that starts the server is missing: end with -- node server.js');
  if (running && (limit ?? route) !== undefined)
    throw wrong('with --running, no limit is set: --limit and --route need a command');
  if (running && command.length > 0) throw wrong('with --running, nothing is started');
  const urls = positionals.map(urlOf);
  checkHosts(urls, values['i-may-load']);
  return {
    urls,
    weights: weightsOf(weights, urls.length),
    headers: headers === undefined ? {} : headersOf(read(headers).toString()),
    body: body === undefined ? undefined : read(body),
    command,
    configuration: configurationOf(limit, route, env.HEADGATE),
    isQuick: values.quick,
    isJson: values.json,
    isBundled,
    report: values.report,
  };
}

const wrong = (message: string) => new CommandError(`try: ${message}`);

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw wrong(`expected a URL such as http://localhost:3000/report, got ${text}`);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function checkHosts(urls: readonly URL[], allowed: string | undefined): void {
  for (const { hostname, origin } of urls) {
    if (!LOOPBACK.test(hostname) && hostname !== allowed)
      throw wrong(
        `${hostname} is not this machine. If you may overload it: --i-may-load ${hostname}`,
      );
    if (origin !== urls[0]?.origin)
      throw wrong(`all URLs must be of one server; ${origin} is not ${urls[0]?.origin}`);
  }
}

function weightsOf(text: string | undefined, count: number): number[] {
  const weights = text?.split(',').map(Number) ?? Array.from({ length: count }, () => 1);
  if (weights.length === count && weights.every((weight) => weight > 0 && Number.isFinite(weight)))
    return weights;
  throw wrong(`--weights: expected ${count} positive numbers, one for each URL, got ${text}`);
}

/** The host to connect to, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: Pick<URL, 'hostname'>) => hostname.replace(/^\[|\]$/g, '');

/** Returns the request to send to each URL. */
export function callsOf({ urls, headers, body }: TryOptions): Call[] {
  return urls.map(({ protocol, host, hostname, port, pathname, search }) => ({
    ...{ protocol, host, port, body, method: body === undefined ? 'GET' : 'POST' },
    hostname: hostOf({ hostname }),
    path: pathname + search,
    headers: { ...(body === undefined ? {} : { 'content-length': body.length }), ...headers },
    // A certificate for this machine is a self-signed one.
    rejectUnauthorized: !LOOPBACK.test(hostname),
  }));
}

/** Lines such as `Authorization: Bearer …`. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined && /^[\t -~\u0080-\u00ff]*$/.test(value))
        return [name.toLowerCase(), value];
      throw wrong(`--headers: expected lines such as "Accept: text/html", got ${line}`);
    }),
  );
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError(`try: ${(error as Error).message}`, 1);
  }
}

/** Adds `--limit` and `--route` to what `HEADGATE` says. */
function configurationOf(
  limit: string | undefined,
  route: string | undefined,
  inherited = '',
): string | undefined {
  if (limit === undefined && route === undefined) return undefined;
  if (limit !== undefined && !(Number.isInteger(Number(limit)) && Number(limit) > 0))
    throw wrong(`--limit: expected a positive whole number, got ${limit}`);
  if (inherited !== '' && !inherited.trim().startsWith('{'))
    throw wrong('--limit and --route: HEADGATE names a file; change the limit there');
  try {
    const others = inherited === '' ? {} : JSON.parse(inherited);
    const number = limit === undefined ? {} : { limit: Number(limit) };
    return JSON.stringify({ ...others, ...number, ...(route === undefined ? {} : { route }) });
  } catch (error) {
    throw wrong(`HEADGATE is no JSON: ${(error as Error).message}`);
  }
}
