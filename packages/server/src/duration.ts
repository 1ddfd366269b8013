const SECOND = 1_000_000_000n;
const MAX_VALUE = 2n ** 64n - 1n;

/** The value of a unit. Whole numbers and fractions of it are counted either in seconds or in nanoseconds. */
interface Unit {
  readonly whole: bigint;
  readonly inSeconds: boolean;
  readonly fraction: bigint;
  readonly fractionInSeconds: boolean;
}

const units = new Map<string, Unit>();
for (const [nanoseconds, ...names] of [
  [1n, 'ns', 'nsec', 'nanos'],
  [1_000n, 'us', 'µs', 'usec'],
  [1_000_000n, 'ms', 'msec', 'millis'],
  [SECOND, 's', 'sec', 'secs', 'second', 'seconds'],
  [60n * SECOND, 'm', 'min', 'mins', 'minute', 'minutes'],
  [3_600n * SECOND, 'h', 'hr', 'hrs', 'hour', 'hours'],
  [86_400n * SECOND, 'd', 'day', 'days'],
  [604_800n * SECOND, 'w', 'wk', 'wks', 'week', 'weeks'],
  [2_630_016n * SECOND, 'M', 'month', 'months'],
  [31_557_600n * SECOND, 'y', 'yr', 'yrs', 'year', 'years'],
] as const) {
  const inSeconds = nanoseconds >= SECOND;
  const fractionInSeconds = nanoseconds >= 3_600n * SECOND;
  const whole = inSeconds ? nanoseconds / SECOND : nanoseconds;
  const fraction = fractionInSeconds ? nanoseconds / SECOND : nanoseconds;
  for (const name of names) units.set(name, { whole, inSeconds, fraction, fractionInSeconds });
}

/** White space may be anywhere except within a unit. A number ends at its unit. */
const part = /\s*(\d[\d\s]*)(?:\.(\s*\d[\d\s]*))?([a-zA-Zµ]+)/y;

/**
 * Parses a duration as the Rust crate humantime 2.4 does: `1h 30m`, `1.5s`, `0`.
 *
 * @returns Milliseconds. Undefined for other text; for a value above 2⁶⁴ seconds, or above 2⁶⁴ nanoseconds if the unit
 * is below a second; and for a fraction finer than a nanosecond, or finer than a second if the unit is an hour or more.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const end = text.trimEnd().length;
  const sum = { seconds: 0n, nanoseconds: 0n };
  if (end === 0) return undefined;
  for (let at = 0; at < end; at = part.lastIndex) {
    part.lastIndex = at;
    const [, whole = '', fraction, name = ''] = part.exec(text) ?? [];
    const unit = units.get(name);
    if (unit === undefined) return undefined;
    if (!add(sum, times(whole, unit.whole, false), unit.inSeconds)) return undefined;
    if (fraction === undefined) continue;
    if (unit.fraction === 1n) return undefined;
    if (!add(sum, times(fraction, unit.fraction, true), unit.fractionInSeconds)) return undefined;
  }
  return Number(sum.seconds) * 1_000 + Number(sum.nanoseconds) / 1e6;
}

/** Multiplies exactly. Undefined if the result exceeds 64 bits or is not a whole number. */
function times(spaced: string, factor: bigint, isFraction: boolean): bigint | undefined {
  const digits = spaced.replace(/\s/g, '');
  const significant = digits.replace(/^0+/, '');
  if (significant.length > 20 || (isFraction && digits.length > 19)) return undefined;
  const number = BigInt(significant);
  const product = number * factor;
  if (number > MAX_VALUE || product > MAX_VALUE) return undefined;
  if (!isFraction) return product;
  const denominator = 10n ** BigInt(digits.length);
  return product % denominator === 0n ? product / denominator : undefined;
}

function add(
  sum: { seconds: bigint; nanoseconds: bigint },
  amount: bigint | undefined,
  inSeconds: boolean,
): boolean {
  if (amount === undefined) return false;
  const nanoseconds = sum.nanoseconds + (inSeconds ? 0n : amount);
  sum.seconds += (inSeconds ? amount : 0n) + nanoseconds / SECOND;
  sum.nanoseconds = nanoseconds % SECOND;
  return nanoseconds <= MAX_VALUE && sum.seconds <= MAX_VALUE;
}
