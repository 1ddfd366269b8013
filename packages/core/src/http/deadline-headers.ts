/** Times above this are ignored: no client waits for so long, so a clock or a unit is wrong. */
const MAX_MS = 60_000;

type ReadHeader = (name: string) => string | undefined;

interface DeadlineHeader {
  readonly name: string;
  /** Matches only valid values. Two values of one header arrive as `1, 2`, which does not match. */
  readonly pattern: RegExp;
  /** Converts the groups of the pattern to milliseconds. */
  read(value: string, unit?: string): number;
}

const milliseconds = /^(\d{1,10})$/;
const grpcUnits: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** The headers with the time for which the client, or the proxy in front of it, waits. */
const headers: readonly DeadlineHeader[] = [
  { name: 'x-envoy-expected-rq-timeout-ms', pattern: milliseconds, read: Number },
  { name: 'connect-timeout-ms', pattern: milliseconds, read: Number },
  {
    name: 'grpc-timeout',
    pattern: /^(\d{1,8})([HMSmun])$/,
    read: (count, unit = '') => Number(count) * (grpcUnits[unit] as number),
  },
  // Palantir's Dialogue sends seconds with three decimals.
  {
    name: 'expect-within',
    pattern: /^(\d{1,5}(?:\.\d{1,9})?)$/,
    read: (seconds) => Number(seconds) * 1000,
  },
  // RFC 7240: a list of preferences, whose first `wait` counts.
  {
    name: 'prefer',
    pattern: /(?:^|,)[ \t]*wait[ \t]*=[ \t]*"?(\d{1,5})"?[ \t]*(?:[,;]|$)/i,
    read: (seconds) => Number(seconds) * 1000,
  },
];

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, which the number of digits tells apart until 2286. */
const startPattern = /^(?:t=)?(\d{10}(?:\d{3}){0,3})(\.\d{1,9})?$/;

/**
 * Returns for how many milliseconds the client still waits, by the header that says the least: from 0 to `max`.
 * Undefined if no header says so. A client can invent these headers, so they can only shorten its own time.
 *
 * @param max How long clients wait at most, in milliseconds.
 * @param now The wall-clock time in milliseconds since 1970.
 */
export function timeLeftFromHeaders(
  header: ReadHeader,
  max: number,
  now: number,
): number | undefined {
  const durations = headers.map(({ name, pattern, read }) => {
    const [, value, unit] = pattern.exec(header(name) ?? '') ?? [];
    return value === undefined ? Infinity : read(value, unit);
  });
  const times = durations.filter((time) => time <= Math.min(max, MAX_MS));
  const elapsed = now - startOf(header('x-request-start') ?? '');
  if (elapsed >= 0 && elapsed <= MAX_MS) times.push(Math.max(0, max - elapsed));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When the first proxy received the request, in whole milliseconds since 1970, as `now` is; NaN if unknown. */
function startOf(value: string): number {
  const [, whole = '', fraction = ''] = startPattern.exec(value) ?? [];
  return Math.floor(Number.parseFloat(whole + fraction) * 10 ** (13 - whole.length));
}
