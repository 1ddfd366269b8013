import { count } from './words.js';

/** @typedef {[name: string, value: string, share?: number | undefined]} Fact A share from 0 to 1 has a bar. */

/** @param {string} name @param {string} value @param {number} [share] @returns {Fact} */
export function fact(name, value, share) {
  return [name, value, share];
}

/** The counts that are not 0, so that those stand out; one line if all are. @param {readonly [name: string, value: number][]} counts */
export function counts(counts) {
  const facts = counts
    .filter(([, value]) => value !== 0)
    .map(([name, value]) => fact(name, count(value)));
  return facts.length === 0 ? [fact('None', '–')] : facts;
}

/** @param {number | undefined} value */
export function milliseconds(value) {
  return value === undefined ? '–' : `${value.toFixed(1)}\u202fms`;
}

/** Less than a thousandth is not 0. @param {number} share From 0 to 1. */
export function percent(share) {
  if (share > 0 && share < 0.001) return '< 0.1\u202f%';
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}\u202f%`;
}
