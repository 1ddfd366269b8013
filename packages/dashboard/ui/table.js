import { Row } from './row.js';

/** @import { OperatorBounds } from '../src/bounds.ts' */
/** @import { PageState, Snapshot } from '../src/messages.ts' */
/** @import { LimitView } from '../src/view.ts' */
/** @import { OperatorRequest } from './controls.js' */

/** Rows are expanded at first only up to this number of limits. */
const MAX_EXPANDED = 3;

/** A table with one row per limit. */
export class Table {
  /** @type {Map<number, Row>} */
  #rows = new Map();
  /** Whether the viewer may operate. */
  mayOperate = false;
  /** Between which values operators may set each limit, by its name. @type {Map<string, OperatorBounds>} */
  bounds = new Map();
  #element;
  #ask;

  /** @param {HTMLElement} element @param {(request: OperatorRequest) => void} ask */
  constructor(element, ask) {
    this.#element = element;
    this.#ask = ask;
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
      if (history === undefined) row.add(now, view);
      else for (const sample of history[view.id] ?? []) row.addSample(sample);
    }
  }

  /** @param {readonly LimitView[]} views @param {Snapshot} snapshot */
  show(views, { reversions, now }) {
    const { mayOperate } = this;
    const shown = views.flatMap((view) => {
      const row = this.#rows.get(view.id);
      const bounds = this.bounds.get(view.limitName ?? '');
      row?.show(view, now, { mayOperate, bounds, reversion: reversions[view.id] });
      return row === undefined ? [] : [row.element];
    });
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
    const before = previous ?? this.#element.querySelector('thead');
    if (before?.nextElementSibling !== row) before?.after(row);
  }
}
