import { part, write } from './dom.js';

/** @import { Operation } from '@headgate/core' */
/** @import { LimitView } from '../src/view.ts' */
/** @import { Context } from './row.js' */
/** @typedef {Operation | 'adapt'} PageOperation `adapt` sets the limit to `adaptive`. */
/** @typedef {number | 'adaptive' | undefined} Earlier The limit that applies after a temporary one. */
/** @typedef {{ view: LimitView, operation: PageOperation, limit?: number, returnsTo?: Earlier }} OperatorRequest */

/** The buttons of one limit. */
export class Controls {
  #element;
  #form;
  /** @type {LimitView | undefined} */
  #view;
  /** @type {Earlier} */
  #returnsTo;

  /** @param {HTMLElement} element @param {(request: OperatorRequest) => void} ask */
  constructor(element, ask) {
    this.#element = element;
    this.#form = part(element, '.set');
    for (const button of element.querySelectorAll('button')) {
      const operation = /** @type {PageOperation | undefined} */ (button.dataset.operation);
      if (operation === undefined) continue;
      button.addEventListener('click', () => {
        if (this.#view !== undefined) ask({ view: this.#view, operation });
      });
    }
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#view === undefined) return;
      const limit = Number(this.#value.value);
      ask({ view: this.#view, operation: 'setLimit', limit, returnsTo: this.#returnsTo });
    });
  }

  get #value() {
    return /** @type {HTMLInputElement} */ (part(this.#element, '.value'));
  }

  /** @param {LimitView} view @param {Context} context */
  show(view, { mayOperate, bounds: { min = 1, max } = {}, reversion }) {
    const isFirst = this.#view === undefined;
    this.#view = view;
    // A second temporary limit returns to the same value as the first.
    this.#returnsTo = reversion?.to ?? (view.fixed ? view.limit : 'adaptive');
    const usable = usableOf(view);
    this.#element.hidden = !mayOperate || usable.length === 0;
    for (const button of this.#element.querySelectorAll('button')) {
      const { operation } = button.dataset;
      if (operation !== undefined) button.hidden = !usable.includes(operation);
    }
    this.#value.min = `${min}`;
    this.#value.max = `${max ?? ''}`;
    write(part(this.#form, '.bounds'), rangeOf(min, max));
    this.#form.hidden = !usable.includes('setLimit');
    if (isFirst && view.limit !== undefined) this.#value.value = `${view.limit}`;
  }
}

/** @param {number} min @param {number | undefined} max */
function rangeOf(min, max) {
  if (max !== undefined) return `from ${min} to ${max}`;
  return min === 1 ? '' : `from ${min}`;
}

/** The supported operations that would change something. @param {LimitView} view @returns {string[]} */
function usableOf({ operations, state, pausedFor, mode, adaptive, fixed }) {
  const useless = [
    ...(state === 'open' && pausedFor === undefined ? ['resume'] : []),
    ...(state === 'paused' ? ['pause'] : []),
    ...(state === 'rejecting' ? ['rejectAll'] : []),
    mode,
  ];
  const supported = adaptive && fixed ? [...operations, 'adapt'] : operations;
  return state === 'closed' ? [] : supported.filter((name) => !useless.includes(name));
}
