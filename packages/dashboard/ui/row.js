import { Chart, span } from './chart.js';
import { Controls } from './controls.js';
import { Details } from './details.js';
import { copy, part, write } from './dom.js';
import { count, duration } from './words.js';

/** @import { OperatorBounds } from '../src/bounds.ts' */
/** @import { Sample } from '../src/history.ts' */
/** @import { LimitView } from '../src/view.ts' */
/** @import { Reversion } from '../src/operator.ts' */
/** @import { OperatorRequest } from './controls.js' */

/** What a row shows in addition to its limit. @typedef {{ mayOperate: boolean, bounds: OperatorBounds | undefined, reversion: Reversion | undefined }} Context */

let rows = 0;

/**
 * One limit, or a gate: its figures, its history and, when expanded, its details. All times are of the server's clock:
 * that of the browser may stand still while its computer sleeps.
 */
export class Row {
  element = copy('row');
  #toggle = part(this.element, '.toggle');
  #details = part(this.element, '.details');
  #chart = new Chart(part(this.element, 'svg'));
  #groups = new Details(part(this.element, '.groups'));
  #controls;
  /** When, and how many had been rejected since the start. */
  /** @type {[at: number, rejected: number][]} */
  #rejected = [];

  /** @param {LimitView} view @param {boolean} isOpen @param {(request: OperatorRequest) => void} ask */
  constructor({ name, gate }, isOpen, ask) {
    this.#controls = new Controls(part(this.element, '.controls'), ask);
    write(part(this.element, '.title'), name);
    this.element.dataset.part = gate === undefined ? 'no' : 'yes';
    this.#details.id = `details-${++rows}`;
    this.#toggle.setAttribute('aria-controls', this.#details.id);
    this.#toggle.addEventListener('click', () => this.#open(this.#details.hidden === true));
    this.#open(isOpen);
  }

  /** @param {number} now @param {LimitView} view */
  add(now, { inflight, queued, limit = 0, rejected }) {
    const sum = Object.values(rejected).reduce((total, each) => total + each, 0);
    this.addSample([now, inflight, queued, limit, sum]);
  }

  /** @param {Sample} sample */
  addSample([at, used, queued, limit, rejected]) {
    this.#chart.add({ at, used, demand: used + queued, max: limit });
    this.#rejected.push([at, rejected]);
    while ((this.#rejected[0]?.[0] ?? at) < at - span) this.#rejected.shift();
  }

  /** @param {LimitView} view @param {number} now @param {Context} context */
  show(view, now, context) {
    const { inflight, queued, limit, keys, longestWait } = view;
    // Each key has a limit of its own.
    const isOver = limit !== undefined && keys === undefined && inflight > limit;
    write(part(this.element, '.acquired'), count(inflight));
    write(part(this.element, '.max'), maxOf(view));
    write(part(this.element, '.over'), isOver ? `${count(inflight - limit)} over` : '');
    write(
      part(this.element, '.tag'),
      [...tagsOf(view), ...returning(context.reversion, now)].join(' · '),
    );
    this.#controls.show(view, context);
    write(part(this.element, '.waiting'), queued === 0 ? '–' : count(queued));
    write(part(this.element, '.longest'), queued === 0 ? '–' : wait(longestWait));
    const rejected = (this.#rejected.at(-1)?.[1] ?? 0) - (this.#rejected[0]?.[1] ?? 0);
    write(part(this.element, '.rejected'), rejected === 0 ? '–' : count(rejected));
    this.element.dataset.over = isOver ? 'yes' : 'no';
    this.element.dataset.waits = queued > 0 ? 'yes' : 'no';
    this.element.dataset.rejects = rejected > 0 ? 'yes' : 'no';
    part(this.element, '.meter').hidden = limit === undefined || keys !== undefined;
    part(this.element, '.fill').style.width = `${Math.min(1, inflight / (limit || 1)) * 100}%`;
    this.#chart.draw(now);
    if (!this.#details.hidden) this.#groups.show(view);
    this.#view = view;
  }

  /** @type {LimitView | undefined} */
  #view;

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#details.hidden = !isOpen;
    this.#toggle.setAttribute('aria-expanded', `${isOpen}`);
    if (isOpen && this.#view !== undefined) this.#groups.show(this.#view);
  }
}

/** @param {LimitView} view */
function maxOf({ limit, keys }) {
  if (limit === undefined) return '';
  return keys === undefined ? `of ${count(limit)}` : `(${count(limit)} per key)`;
}

/** @param {LimitView} view */
function tagsOf({ gate, keys, adaptive, frozen, state, mode, store, guard }) {
  return [
    gate === undefined ? '' : `of ${gate}`,
    adaptive ? (frozen ? 'adaptive, frozen' : 'adaptive') : '',
    guard?.shedding ? `guard rejects ${Math.round(100 * guard.shedding)} %` : '',
    keys === undefined ? '' : `${count(keys)} ${keys === 1 ? 'key' : 'keys'} in use`,
    store === undefined ? '' : store.up ? 'all processes' : 'store unavailable',
    state === 'open' ? '' : state,
    mode === 'shadow' ? 'shadow mode' : '',
  ].filter((tag) => tag !== '');
}

/** @param {Reversion | undefined} reversion @param {number} now */
function returning(reversion, now) {
  if (reversion === undefined) return [];
  return [`returns to ${count(reversion.to)} in ${duration(Math.max(0, reversion.at - now))}`];
}

/** @param {number} milliseconds */
function wait(milliseconds) {
  if (milliseconds < 1_000) return `${milliseconds}\u202fms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1_000).toFixed(1)}\u202fs`;
  return duration(milliseconds);
}
