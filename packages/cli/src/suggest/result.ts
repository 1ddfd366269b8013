import type { MeasuredLimit } from '@headgate/core/engine';
import { aligned } from '../output.ts';
import type { ClientsResult } from './clients.ts';
import { type LogSummary, OTHERS } from './log-summary.ts';
import type { RouteLog } from './route-log.ts';

/** The name of all requests together. */
const ALL = 'all requests';
/** The routes with the most work are listed. */
const MAX_LISTED = 10;

export type SuggestResult = Readonly<ReturnType<typeof resultOf>>;

/** A row of the result; without a suggestion if the log is too short, or an overload from its start on. */
type RouteResult = ReturnType<typeof rowOf>;

function rowOf(route: string, log: RouteLog, all: RouteLog) {
  const { requests, rejected, took } = log;
  /** The route's part of the time that all requests took, from 0 to 1. */
  const work = all.took === 0 ? 0 : took / all.took;
  const suggestion: Partial<MeasuredLimit> = log.suggest() ?? {};
  return { route, requests, work, rejected, ...suggestion };
}

/** The result of a log: all requests together first, then the routes with the most work. */
export function resultOf(log: LogSummary, pattern: string | undefined, hasClients: boolean) {
  const { all, lines, from, to } = log;
  const sorted = [...log.routes].sort(([, one], [, other]) => other.took - one.took);
  const listed = sorted.slice(0, MAX_LISTED).map(([route, one]) => rowOf(route, one, all));
  return {
    /** When the first request began and the last one ended, as ISO dates. */
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    lines,
    routes: [rowOf(pattern ?? ALL, all, all), ...listed],
    /** Undefined unless limits per client were asked for. */
    clients: hasClients ? log.clients.end() : undefined,
  };
}

/** The result as a table, with the reason of the first number and the line of code to use. */
export function textOf({ routes, lines, from, to, clients }: SuggestResult): string {
  const rows = routes.map(({ route, requests, work, rejected, ...suggestion }) => [
    route,
    requests.toLocaleString('en'),
    `${Math.round(100 * work)} %`,
    rejected.toLocaleString('en'),
    limitOf(suggestion),
  ]);
  const table = aligned([['route', 'requests', 'work', 'rejected', 'limit'], ...rows]);
  const parts = [`${lines.toLocaleString('en')} lines, ${from} to ${to}`, table, advice(routes)];
  if (clients !== undefined) parts.push(adviceOnClients(clients));
  return `${parts.join('\n\n')}\n`;
}

function adviceOnClients({ clients, limit, affectedWork }: ClientsResult): string {
  const most = `99 % of them never had more than ${limit} requests in flight`;
  const others = `the others made ${Math.round(100 * affectedWork)} % of the work`;
  return `${clients.toLocaleString('en')} clients by address: ${most}; ${others}.

  { name: 'client', limit: ${limit}, key: (req) => ipKey(req.ip) }`;
}

function limitOf({ limit, isSaturated }: Pick<RouteResult, 'limit' | 'isSaturated'>): string {
  if (limit === undefined) return 'unknown';
  return isSaturated ? `${limit}` : `at least ${limit}`;
}

function advice(routes: readonly RouteResult[]): string {
  const [all, ...listed] = routes;
  const worst = listed.find(({ route, isSaturated }) => isSaturated && route !== OTHERS) ?? all;
  if (worst?.limit === undefined) {
    return 'The log is too short, or has no quiet time: use one of a busy hour and of a quiet one.';
  }
  const { route, limit, rate = 0, duration = 0 } = worst;
  const facts = `At most ${number(rate)} requests per second were answered, and a request takes ${number(duration)} ms while few are in flight`;
  const atOnce = number((rate * duration) / 1000);
  const sum = `${number(rate)}/s × ${(duration / 1000).toPrecision(2)} s = ${atOnce} at once, and a fifth more: ${limit}`;
  if (!worst.isSaturated) {
    return `${route}: ${facts}: ${sum}.\nThe log contains no overload, so the server can do at least that many. Use a log with a peak, or run headgate try.`;
  }
  return `${route}: ${facts}: ${sum}. With more, requests only took longer.\n\n  ${codeFor(route, limit)}`;
}

/** The line of code that limits this route. Patterns that no path expresses are left to the reader. */
function codeFor(route: string, limit: number): string {
  const path = route.replace(/\/\*$/, '');
  const code = `concurrencyLimit({ limit: ${limit} })`;
  if (route === ALL) return `app.use(${code});`;
  return path.includes('*') || path === '' ? code : `app.use('${path}', ${code});`;
}

function number(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
}
