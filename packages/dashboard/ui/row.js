import { Chart } from './chart.js';
import { Controls } from './controls.js';
import { Details } from './details.js';
import { copy, part, write } from './dom.js';
import { milliseconds } from './facts.js';
import { tagsOf } from './tags.js';
import { troubleOf } from './trouble.js';
import { count, wait } from './words.js';

/** @import { OperatorBounds } from '../src/bounds.ts' */
/** @import { Sample } from '../src/history.ts' */
/** @import { LimitView } from '../src/view.ts' */
/** @import { Reversion } from '../src/reversions.ts' */
/** @import { OperatorRequest } from './controls.js' */
/** @import { Trouble } from './trouble.js' */

/**
 * What a row shows in addition to its limit; `resumesAt` is when a paused or rejecting limit resumes.
 *
 * @typedef {{ mayOperate: boolean, bounds: OperatorBounds | undefined, reversion: Reversion | undefined, resumesAt: number | undefined }} Context
 */

let rows = 0;

/**
 * One limit, or a gate: its figures, its history and, when expanded, its details. All times are of the server's clock:
 * that of the browser may stand still while its computer sleeps.
 */
export class Row {
  element = copy('row');
  #toggle = part(this.element, '.toggle');
  #details = part(this.element, '.details');
  #chart;
  #groups = new Details(part(this.element, '.groups'));
  #controls;
  /** The latest totals of what was rejected, or would have been. */
  /** @type {[rejected: number, wouldReject: number] | undefined} */
  #totals;
  /** @type {Trouble} */
  trouble = 'none';

  /** @param {LimitView} view @param {boolean} isOpen @param {(request: OperatorRequest) => void} ask */
  constructor({ name, gate, isGuard }, isOpen, ask) {
    this.#chart = new Chart(part(this.element, '.history'), isGuard ? '\u202fms' : '');
    this.#controls = new Controls(part(this.element, '.controls'), ask);
    write(part(this.element, '.title'), name);
    this.name = name;
    /** Whether it is a limit below its gate. */
    this.isPart = gate !== undefined;
    this.element.dataset.part = this.isPart ? 'yes' : 'no';
    write(part(this.element, '.gate'), gate === undefined ? '' : `limit of ${gate}`);
    this.#details.id = `details-${++rows}`;
    this.#toggle.setAttribute('aria-controls', this.#details.id);
    this.#toggle.addEventListener('click', () => this.#open(this.#details.hidden === true));
    this.#open(isOpen);
  }

  /** @param {Sample} sample */
  add([at, used, queued, limit, rejected, wouldReject]) {
    const [before, wouldBefore] = this.#totals ?? [rejected, wouldReject];
    this.#totals = [rejected, wouldReject];
    this.#chart.add({
      ...{ at, used, demand: used + queued, max: limit },
      ...{ rejected: rejected - before, wouldReject: wouldReject - wouldBefore },
    });
  }

  /** Whether an operator misses nothing without it. */
  get isIdle() {
    const { state, mode, pausedFor, store } = this.#view ?? {};
    const isOpen = state === 'open' && pausedFor === undefined;
    const isUsual = isOpen && mode === 'enforce' && store?.up !== false;
    const isLeft = this.#details.hidden === true && !this.element.contains(document.activeElement);
    return isUsual && this.#chart.isIdle && isLeft;
  }

  /** @param {LimitView} view @param {number} now @param {Context} context */
  show(view, now, context) {
    const { queued, longestWait } = view;
    this.#showUse(view);
    this.#showTags(view, now, context);
    this.#controls.show(view, context);
    write(part(this.element, '.waiting'), queued === 0 ? '–' : count(queued));
    write(part(this.element, '.longest'), queued === 0 ? '–' : wait(longestWait));
    this.element.dataset.waits = queued > 0 ? 'yes' : 'no';
    this.#showRejections();
    this.#chart.draw(now);
    this.trouble = troubleOf(view, now, this.#chart.samples);
    if (!this.#details.hidden) this.#groups.show(view);
    this.#view = view;
  }

  /** Shows a limit without trouble in one line, since there are many. @param {boolean} isAmongMany */
  compact(isAmongMany) {
    const { rejected, wouldReject } = this.#chart;
    const isQuiet = this.trouble === 'none' && rejected === 0 && wouldReject === 0;
    const isCompact = isAmongMany && isQuiet && this.#details.hidden === true;
    this.element.dataset.compact = isCompact ? 'yes' : 'no';
  }

  /** @param {LimitView} view */
  #showUse({ inflight, limit, keys, peak, mode, isGuard, guard }) {
    // Each key has a limit of its own.
    const isOver = limit !== undefined && keys === undefined && inflight > limit;
    const figure = isGuard ? milliseconds(guard?.delay) : count(inflight);
    write(part(this.element, '.acquired'), figure);
    write(part(this.element, '.max'), isGuard ? 'delay' : maxOf(limit, keys));
    write(part(this.element, '.over'), isOver ? `${count(inflight - limit)} over` : '');
    const owner = keys === undefined ? '' : ' of one key';
    write(part(this.element, '.peak'), peak ? `peak ${count(peak)}${owner}` : '');
    const over = mode === 'shadow' ? 'shadow' : 'yes';
    this.element.dataset.over = isOver ? over : 'no';
    part(this.element, '.meter').hidden = limit === undefined || keys !== undefined;
    part(this.element, '.fill').style.width = `${Math.min(1, inflight / (limit || 1)) * 100}%`;
  }

  /** @param {LimitView} view @param {number} now @param {Context} context */
  #showTags(view, now, context) {
    const { state, words } = tagsOf(view, now, context);
    write(part(this.element, '.state'), state);
    write(part(this.element, '.tag'), words);
    this.element.dataset.state = state === 'shadow mode' ? 'shadow' : view.state;
  }

  #showRejections() {
    const { rejected, wouldReject } = this.#chart;
    const isNone = rejected === 0 && wouldReject === 0;
    write(part(this.element, '.refusals'), isNone ? '–' : rejected === 0 ? '' : count(rejected));
    part(this.element, '.would').hidden = wouldReject === 0;
    write(part(this.element, '.would .number'), count(wouldReject));
    this.element.dataset.rejects = rejected > 0 ? 'yes' : 'no';
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

/** @param {number | undefined} limit @param {number | undefined} keys */
function maxOf(limit, keys) {
  if (limit === undefined) return '';
  return keys === undefined ? `of ${count(limit)}` : `(${count(limit)} per key)`;
}
