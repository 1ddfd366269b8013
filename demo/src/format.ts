export const perSecond = (rate: number) => `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`;

/** Rounded down, so that 89.9 % does not count as 90 %. */
export const percent = (share: number) => `${Math.floor(share * 100 + 1e-9)} %`;

export const count = (number: number) => number.toLocaleString('en');

export function duration(milliseconds: number): string {
  if (milliseconds >= 995) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

/** For configured times rather than measured ones. */
export const seconds = (milliseconds: number) => `${milliseconds / 1_000} s`;

export const share = (part: number, whole: number) =>
  whole === 0 ? '' : ` (${percent(part / whole)})`;
