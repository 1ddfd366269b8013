export const perSecond = (rate: number) => `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`;

/** Rounded down, so that 89.9 % does not count as 90 %. */
export const percent = (share: number) => `${Math.floor(share * 100 + 1e-9)} %`;

export const ratio = (value: number) => value.toFixed(2);

export function milliseconds(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value >= 995) return `${(value / 1_000).toFixed(1)} s`;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
