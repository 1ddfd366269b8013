import { copy, part, write } from './dom.js';
import { count, wait } from './words.js';

/** @import { LimitSummary } from '../src/limits/summary.ts' */

/** The limits that processes count at the service, one row each. */
export class LimitsTable {
  #element;

  /** @param {HTMLTableElement} element */
  constructor(element) {
    this.#element = element;
  }

  /** @param {readonly LimitSummary[]} limits */
  show(limits) {
    const rows = this.#element.tBodies;
    while (rows.length > limits.length) rows[limits.length]?.remove();
    while (rows.length < limits.length) this.#element.append(copy('limit'));
    for (const [i, limit] of limits.entries()) show(/** @type {HTMLElement} */ (rows[i]), limit);
  }
}

/** @param {HTMLElement} row @param {LimitSummary} summary */
function show(row, { name, limit, keys, inflight, queued, longestWait }) {
  write(part(row, '.title'), name);
  write(part(row, '.acquired'), count(inflight));
  write(part(row, '.max'), keys === 0 ? `of ${count(limit)}` : '');
  write(part(row, '.keys'), keys === 0 ? '' : `${count(limit)} per key, ${count(keys)} keys`);
  write(part(row, '.peers'), queued > 0 ? count(queued) : '–');
  write(part(row, '.longest'), queued > 0 ? wait(longestWait) : '–');
  row.dataset.waits = queued > 0 ? 'yes' : 'no';
}
