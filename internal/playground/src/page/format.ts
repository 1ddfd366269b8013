import type { Figures } from '../model/figures.ts';

export const percent = (part: number) => (Number.isNaN(part) ? '–' : `${Math.round(100 * part)} %`);

export function duration(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) return '–';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The rejected part of the requests, and the median time until the rejection. */
export function rejections({ rejected, rejectedAfter }: Figures): string {
  if (rejected === 0) return percent(0);
  const wait = rejectedAfter < 1 ? 'at once' : `after ${duration(rejectedAfter)}`;
  return `${percent(rejected)} ${wait}`;
}
