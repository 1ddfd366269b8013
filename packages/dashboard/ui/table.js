import { part, write } from './dom.js';
import { byTrouble } from './order.js';
import { Row } from './row.js';
import { count } from './words.js';

/** @import { OperatorBounds } from '../src/bounds.ts' */
/** @import { PageState, Snapshot } from '../src/messages.ts' */
/** @import { LimitView } from '../src/view.ts' */
/** @import { OperatorRequest } from './controls.js' */

/** Rows are expanded at first only up to this number of limits. */
const MAX_EXPANDED = 3;
/** Up to this number of limits, those without requests are shown as well, and none in one line. */
const MAX_WITH_IDLE = 8;

/** A table with one row per limit. */
export class Table {
  /** @type {Map<number, Row>} */
  #rows = new Map();
  /** All rows, in the order of the app. @type {Row[]} */
  rows = [];
  /** Whether the viewer may operate. */
  mayOperate = false;
  /** Between which values operators may set each limit, by its name. @type {Map<string, OperatorBounds>} */
  bounds = new Map();
  #element;
  #ask;
  #idle;
  #showsIdle = false;

  /** @param {HTMLElement} element @param {HTMLElement} idle The button for limits without requests. @param {(request: OperatorRequest) => void} ask */
  constructor(element, idle, ask) {
    this.#element = element;
    this.#ask = ask;
    this.#idle = idle;
    idle.addEventListener('click', () => {
      this.#showsIdle = !this.#showsIdle;
      idle.dispatchEvent(new Event('idle', { bubbles: true }));
    });
  }

  clear() {
    for (const row of this.#rows.values()) row.element.remove();
    this.#rows.clear();
  }

  /**
   * Adds the samples of a message, and forgets the limits that it does not have.
   *
   * @param {Snapshot & Partial<PageState>} state
   */
  add({ now, limits, history }) {
    const known = new Set(limits.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (known.has(id)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    for (const view of limits) {
      const row =
        this.#rows.get(view.id) ?? new Row(view, limits.length <= MAX_EXPANDED, this.#ask);
      this.#rows.set(view.id, row);
      const samples = history?.[view.id] ?? [/** @type {const} */ ([now, ...view.sample])];
      for (const sample of samples) row.add(sample);
    }
  }

  /** @param {Snapshot} snapshot @param {((view: LimitView) => boolean) | undefined} isFound By a search. */
  show({ limits, reversions, resumptions, now }, isFound) {
    const { mayOperate } = this;
    const shown = limits.flatMap((view) => {
      const row = this.#rows.get(view.id);
      const bounds = this.bounds.get(view.limitName ?? '');
      const reversion = reversions[view.id];
      row?.show(view, now, { mayOperate, bounds, reversion, resumesAt: resumptions[view.id]?.at });
      return row === undefined ? [] : [{ row, view }];
    });
    this.rows = shown.map(({ row }) => row);
    const found = isFound && shown.filter(({ view }) => isFound(view)).map(({ row }) => row);
    const rows = found ?? this.#withoutIdle(this.rows);
    if (found !== undefined) this.#idle.hidden = true;
    for (const row of rows) row.compact(rows.length > MAX_WITH_IDLE);
    // A row must not move away from the operator who uses it.
    const isUsed = this.#element.contains(document.activeElement);
    this.#arrange((isUsed ? this.#inPlace(rows) : byTrouble(rows)).map(({ element }) => element));
  }

  /** In the present order; new rows come last. @param {Row[]} rows */
  #inPlace(rows) {
    const bodies = [...this.#element.querySelectorAll('tbody.item')];
    const placeOf = (/** @type {Row} */ { element }) => bodies.indexOf(element);
    const [old, added] = [true, false].map((is) => rows.filter((row) => placeOf(row) >= 0 === is));
    return [...(old ?? []).sort((one, other) => placeOf(one) - placeOf(other)), ...(added ?? [])];
  }

  /** Limits without requests would hide the others. @param {Row[]} rows */
  #withoutIdle(rows) {
    const busy = rows.filter(({ isIdle }) => !isIdle);
    const idle = rows.length - busy.length;
    const isShort = rows.length <= MAX_WITH_IDLE || idle === 0 || busy.length === 0;
    this.#idle.hidden = isShort;
    const what = `${count(idle)} without requests in the last 5 minutes`;
    write(this.#idle, `${this.#showsIdle ? 'Hide' : 'Show'} ${what}`);
    this.#idle.setAttribute('aria-expanded', `${this.#showsIdle}`);
    return isShort || this.#showsIdle ? rows : busy;
  }

  /** @param {HTMLElement[]} shown */
  #arrange(shown) {
    const bodies = this.#element.querySelectorAll('tbody.item');
    // Rows that are already in place are not moved, so that they keep the focus.
    const isSame = bodies.length === shown.length && shown.every((row, i) => row === bodies[i]);
    if (isSame) return;
    for (const body of bodies)
      if (!shown.includes(/** @type {HTMLElement} */ (body))) body.remove();
    for (const [i, row] of shown.entries()) this.#place(row, shown[i - 1]);
  }

  /** @param {Element} row @param {Element | undefined} previous */
  #place(row, previous) {
    const before = previous ?? part(this.#element, 'thead');
    if (before.nextElementSibling !== row) before.after(row);
  }
}
