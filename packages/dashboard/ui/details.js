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
  const { admitted, rejected, withdrawn, leaked } = view;
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
  return [...groups, ...divisions(view), ...parts(view)];
}

/** How the queue and the limit are divided. @param {LimitView} view @returns {Group[]} */
function divisions({ priorities, shares }) {
  /** @type {Group[]} */
  const groups = [];
  if (priorities !== undefined) {
    const facts = Object.entries(priorities).map(([name, queued]) => fact(name, count(queued)));
    groups.push({ title: 'Queued by priority', facts });
  }
  if (shares !== undefined) {
    const facts = Object.entries(shares).map(([name, { part, inflight, queued }]) =>
      fact(
        `${name} (${Math.round(100 * part)} %)`,
        `${count(inflight)} in use, ${count(queued)} queued`,
      ),
    );
    groups.push({ title: 'Guaranteed shares', facts });
  }
  return groups;
}

/** The adaptive limit, the guard and the store. @param {LimitView} view @returns {Group[]} */
function parts({ adaptive, frozen, baseline, guard, store }) {
  /** @type {Group[]} */
  const groups = [];
  if (adaptive) {
    const facts = [
      fact('State', frozen ? 'frozen' : 'adapts'),
      fact('Latency without load', milliseconds(baseline)),
    ];
    groups.push({ title: 'Adaptive limit', facts });
  }
  if (guard !== undefined) {
    const shedding = guard.shedding === undefined ? '–' : `${Math.round(100 * guard.shedding)} %`;
    const facts = [fact('Delay', milliseconds(guard.delay)), fact('Rejects', shedding)];
    groups.push({ title: `Guard ${guard.name}`, facts });
  }
  if (store !== undefined) groups.push({ title: 'Store', facts: storeFacts(store) });
  return groups;
}

/** @param {NonNullable<LimitView['store']>} store */
function storeFacts(store) {
  return [
    fact('State', store.up ? 'available' : 'unavailable'),
    fact('Round trip', milliseconds(store.roundTrip)),
    fact('In use by this process', count(store.here)),
    fact('Queued in this process', count(store.queuedHere)),
    ...processesOf(store),
    fact('Limit that this process declared', count(store.declared)),
    fact('Expired leases removed', count(store.reclaimed)),
    fact('Leases lost', count(store.lost)),
  ];
}

/** Not all stores know it, and those that do may not have answered yet. @param {NonNullable<LimitView['store']>} store */
function processesOf({ processes }) {
  return processes === undefined
    ? []
    : [fact('Processes that hold or await permits', count(processes))];
}

/** @param {string} name @param {string} value @returns {[string, string]} */
function fact(name, value) {
  return [name, value];
}

/** @param {number | undefined} value */
function milliseconds(value) {
  return value === undefined ? '–' : `${value.toFixed(1)}\u202fms`;
}

/** @type {Record<string, string>} */
const reasons = {
  full: 'Queue full',
  timeout: 'Waited too long',
  closed: 'Closed',
  overloaded: 'Overloaded',
  store: 'Store failed',
};
