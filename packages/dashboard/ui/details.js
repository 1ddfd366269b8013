import { copy, part, write } from './dom.js';
import { counts, fact, milliseconds, percent } from './facts.js';
import { inflightShares } from './inflight-shares.js';
import { SuggestionTable } from './suggestion.js';
import { count, wait } from './words.js';

/** @import { LimitView } from '../src/view.ts' */
/** @import { Fact } from './facts.js' */

/** @typedef {{ title: string, facts: Fact[] }} Group */

/** Groups of figures about a limit, and what other limits would do. */
export class Details {
  #element;
  #suggestion = new SuggestionTable();
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
    if (names !== this.#names)
      this.#element.replaceChildren(...groups.map(section), this.#suggestion.element);
    this.#names = names;
    const values = this.#element.querySelectorAll('.facts dd');
    for (const [i, [, value, share]] of groups.flatMap(({ facts }) => facts).entries()) {
      const element = /** @type {HTMLElement} */ (values[i]);
      write(element, value);
      if (share !== undefined) element.parentElement?.style.setProperty('--share', `${share}`);
    }
    this.#suggestion.show(view);
  }
}

/** @param {Group} group */
function section({ title, facts }) {
  const element = copy('facts');
  write(part(element, 'h2'), title);
  element.classList.toggle('shares', facts[0]?.[2] !== undefined);
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
  const { admitted, withdrawn, leaked, inflight, isGuard } = view;
  const others = /** @type {const} */ ([
    ['Withdrawn', withdrawn],
    ['Held too long', leaked],
  ]);
  return [
    {
      title: 'Requests since the start',
      facts: [
        ...(isGuard ? [fact('In use', count(inflight))] : []),
        fact('Admitted', count(admitted)),
        ...others.filter(([, value]) => value > 0).map(([name, value]) => fact(name, count(value))),
      ],
    },
    ...rejections(view),
    ...divisions(view),
    ...parts(view),
    ...uses(view),
  ];
}

/** @param {LimitView} view @returns {Group[]} */
function rejections({ rejected, wouldReject, shadow, mode }) {
  /** @param {LimitView['rejected']} byReason */
  const byName = (byReason) =>
    counts(Object.entries(byReason).map(([reason, number]) => [reasons[reason] ?? reason, number]));
  const groups = [{ title: 'Rejected since the start', facts: byName(rejected) }];
  const isShadow = mode === 'shadow' || Object.values(wouldReject).some((number) => number > 0);
  if (isShadow) groups.push({ title: 'Would reject, since the start', facts: byName(wouldReject) });
  if (shadow !== undefined) {
    const facts = [
      fact('Would be admitted', count(shadow.admitted)),
      fact('Would be queued', count(shadow.queued)),
      fact('Would be rejected', percent(shadow.rejectedShare)),
      fact('Wait, median and p99', `${wait(shadow.waitP50)}, ${wait(shadow.waitP99)}`),
    ];
    groups.push({ title: 'Since shadow mode began', facts });
  }
  return groups;
}

/** How the queue and the limit are divided. @param {LimitView} view @returns {Group[]} */
function divisions({ priorities, shares }) {
  /** @type {Group[]} */
  const groups = [];
  if (priorities !== undefined) {
    groups.push({ title: 'Queued by priority', facts: counts(Object.entries(priorities)) });
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
function parts({ adaptive, fixed, baseline, limitReason, guard, store }) {
  /** @type {Group[]} */
  const groups = [];
  if (adaptive) {
    const facts = [
      fact('State', fixed ? 'held' : 'adapts'),
      fact('Latency without load', milliseconds(baseline)),
      fact('Last change', limitReason ?? '–'),
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

/** The last group, so that it is next to the suggestion. @param {LimitView} view @returns {Group[]} */
function uses(view) {
  const facts = inflightShares(view);
  const owner = view.keys === undefined ? '' : ' of one key';
  const title = `In use${owner} when requests were admitted`;
  return facts.length === 0 ? [] : [{ title, facts }];
}

/** @param {NonNullable<LimitView['store']>} store */
function storeFacts({ up, roundTrip, here, queuedHere, processes, declared, reclaimed, lost }) {
  return [
    fact('State', up ? 'available' : 'unavailable'),
    fact('Round trip', milliseconds(roundTrip)),
    fact('In use by this process', count(here)),
    fact('Queued in this process', count(queuedHere)),
    // Not all stores know it, and those that do may not have answered yet.
    ...(processes === undefined
      ? []
      : [fact('Processes that hold or await permits', count(processes))]),
    fact('Limit that this process declared', count(declared)),
    ...(reclaimed === 0 ? [] : [fact('Expired leases removed', count(reclaimed))]),
    ...(lost === 0 ? [] : [fact('Leases lost', count(lost))]),
  ];
}

/** @type {Record<string, string>} */
const reasons = {
  full: 'Queue full',
  timeout: 'Waited too long',
  closed: 'Closed',
  overloaded: 'Overloaded',
  paused: 'Paused',
  store: 'Store failed',
};
