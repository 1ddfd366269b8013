import { copy, part, write } from './dom.js';
import { count } from './words.js';

/** @import { LimitView } from '../src/view.ts' */

/** @typedef {{ title: string, facts: [name: string, value: string][] }} Group */

/** Groups of figures about a limit. */
export class Details {
  #element;
  /** The names shown; other elements are made only if these differ. */
  #names = '';

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
  }

  /** @param {LimitView} view */
  show(view) {
    const groups = groupsOf(view);
    const names = JSON.stringify(
      groups.map(({ title, facts }) => [title, facts.map(([name]) => name)]),
    );
    if (names !== this.#names) this.#element.replaceChildren(...groups.map(section));
    this.#names = names;
    const values = this.#element.querySelectorAll('dd');
    for (const [i, [, value]] of groups.flatMap(({ facts }) => facts).entries()) {
      write(/** @type {Element} */ (values[i]), value);
    }
  }
}

/** @param {Group} group */
function section({ title, facts }) {
  const element = copy('facts');
  write(part(element, 'h2'), title);
  const list = part(element, 'dl');
  for (const [name] of facts) {
    const fact = copy('fact');
    write(part(fact, 'dt'), name);
    list.append(fact);
  }
  return element;
}

/** @param {LimitView} view @returns {Group[]} */
function groupsOf(view) {
  const { admitted, rejected, withdrawn, leaked, store } = view;
  /** @type {Group[]} */
  const groups = [
    {
      title: 'Requests since the start',
      facts: [
        ['Admitted', count(admitted)],
        ['Withdrawn', count(withdrawn)],
        ['Held too long', count(leaked)],
      ],
    },
    {
      title: 'Rejected since the start',
      facts: Object.entries(rejected).map(([reason, number]) => [
        reasons[reason] ?? reason,
        count(number),
      ]),
    },
  ];
  if (store !== undefined) {
    groups.push({
      title: 'Store',
      facts: [
        ['State', store.up ? 'available' : 'unavailable'],
        ['In use by this process', count(store.here)],
        ['Queued in this process', count(store.queuedHere)],
        ['Limit that this process declared', count(store.declared)],
        ['Expired leases removed', count(store.reclaimed)],
        ['Leases lost', count(store.lost)],
      ],
    });
  }
  return groups;
}

/** @type {Record<string, string>} */
const reasons = {
  full: 'Queue full',
  timeout: 'Waited too long',
  closed: 'Closed',
  overloaded: 'Overloaded',
  store: 'Store failed',
};
