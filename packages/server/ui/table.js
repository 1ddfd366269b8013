import { span } from './chart.js';
import { Row } from './row.js';

/** @import { SemaphoreView, Snapshot } from '../src/http/snapshot.ts' */

/** Rows are expanded at first only up to this number of semaphores. */
const MAX_EXPANDED = 3;

/** A table with one row per semaphore, in the order of the configuration. */
export class Table {
  /** Includes rows that are currently filtered out; they keep their history for the span of a chart. */
  /** @type {Map<string, Row>} */
  #rows = new Map();
  #element;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
  }

  /** @param {readonly SemaphoreView[]} views @param {number} now @param {Snapshot['history']} history */
  show(views, now, history) {
    const hasLevels = views.some(({ level }) => level !== 0);
    /** @type {Element[]} */
    const shown = views.map((view) => {
      const row = this.#rows.get(view.name) ?? new Row(view.name, views.length <= MAX_EXPANDED);
      this.#rows.set(view.name, row);
      row.addPast(now, history?.[view.name] ?? []);
      row.show(view, now, hasLevels);
      return row.element;
    });
    const bodies = this.#element.querySelectorAll('tbody.semaphore');
    // Rows that are already in place are not moved, so that they keep the focus.
    const isSame = bodies.length === shown.length && shown.every((row, i) => row === bodies[i]);
    if (!isSame) {
      for (const body of bodies) if (!shown.includes(body)) body.remove();
      for (const [i, row] of shown.entries()) this.#place(row, shown[i - 1]);
    }
    for (const [name, { seen }] of this.#rows) if (now - seen > span) this.#rows.delete(name);
  }

  /** @param {Element} row @param {Element | undefined} previous */
  #place(row, previous) {
    const before = previous ?? this.#element.querySelector('thead');
    if (before?.nextElementSibling !== row) before?.after(row);
  }
}
