const numbers = new Intl.NumberFormat('en-US');

const units = /** @type {const} */ ([
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]);

/** @param {string | number} whole A string if a number could not represent it. */
export function count(whole) {
  return numbers.format(BigInt(whole));
}

const short = new Intl.NumberFormat('en-US', { notation: 'compact' });

/** A large number in a few characters: `12K`. @param {number} value */
export function compact(value) {
  return short.format(value);
}

/** How long a waiter has waited, with milliseconds if that is short: `870 ms`, `4.1 s`, `1 min 2 s`. @param {number} milliseconds */
export function wait(milliseconds) {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}\u202fms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1_000).toFixed(1)}\u202fs`;
  return duration(milliseconds);
}

/** A hundred years, in milliseconds. */
const never = 3_155_760_000_000;

/**
 * Formats the two largest units: `4 min 10 s`.
 *
 * @param {number} milliseconds
 */
export function duration(milliseconds) {
  if (milliseconds > never) return 'never';
  let left = Math.floor(milliseconds / 1_000);
  const parts = units.map(([unit, length]) => {
    const whole = Math.floor(left / length);
    left %= length;
    return { whole, text: `${numbers.format(whole)}\u202f${unit}` };
  });
  const first = parts.findIndex(({ whole }) => whole > 0);
  if (first === -1) return '0\u202fs';
  const [large, small] = parts.slice(first);
  return [large, small]
    .map((part) => (part?.whole ? part.text : ''))
    .join(' ')
    .trim();
}
