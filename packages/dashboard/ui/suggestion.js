import { copy, part, write } from './dom.js';
import { percent } from './facts.js';
import { count, wait } from './words.js';

/** @import { LimitView } from '../src/view.ts' */

/** What other limits would have done in shadow mode, and what that assumes. */
export class SuggestionTable {
  element = copy('suggestion');
  #body = part(this.element, 'tbody');

  /** @param {LimitView} view */
  show({ suggestion, limit }) {
    this.element.hidden = suggestion === undefined;
    if (suggestion === undefined) return;
    const { limits, lowest, assumption } = suggestion;
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
    write(part(this.element, '.lowest'), inWords(lowest));
    write(part(this.element, '.assumption'), `Assumption: ${assumption}.`);
  }
}

/** @param {NonNullable<LimitView['suggestion']>['lowest']} lowest */
function inWords(lowest) {
  const known = Object.entries(lowest).filter(([, limit]) => limit !== undefined);
  if (known.length === 0) return '';
  const each = known.map(([share, limit]) => `less than ${share}: ${count(limit ?? 0)}`);
  return `Lowest limit that would reject ${each.join('; ')}.`;
}
