import { copy, part, write } from './dom.js';
import { percent } from './facts.js';
import { count, wait } from './words.js';

/** @import { LimitView } from '../src/view.ts' */

/** In shadow mode: the limit that was measured, and what other limits would have done. */
export class SuggestionTable {
  element = copy('suggestion');
  #body = part(this.element, 'tbody');

  /** @param {LimitView} view */
  show({ suggestion, limit }) {
    this.element.hidden = suggestion === undefined;
    if (suggestion === undefined) return;
    const { limits, measured } = suggestion;
    const rows = this.#body.children;
    while (rows.length > limits.length) rows[limits.length]?.remove();
    while (rows.length < limits.length) this.#body.append(copy('forecast'));
    for (const [i, each] of limits.entries()) {
      const row = /** @type {Element} */ (rows[i]);
      const isCurrent = each.limit === limit;
      write(part(row, '.candidate'), count(each.limit) + (isCurrent ? ' (now)' : ''));
      write(part(row, '.share'), percent(each.rejectedShare));
      write(part(row, '.p50'), wait(each.waitP50));
      write(part(row, '.p99'), wait(each.waitP99));
      write(part(row, '.most'), count(each.inflightPeak));
    }
    write(part(this.element, '.measured'), inWords(measured));
  }
}

/** @param {NonNullable<LimitView['suggestion']>['measured']} measured */
function inWords(measured) {
  if (measured === undefined) return '';
  const { limit, isSaturated, rate, duration } = measured;
  const facts = `at most ${count(Math.round(rate))} per second, each ${wait(duration)} while few are in flight`;
  return `The server can do ${isSaturated ? '' : 'at least '}${count(limit)} at once: ${facts}.`;
}
