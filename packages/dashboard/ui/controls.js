import { part, write } from './dom.js';

/** @import { Operation } from '@headgate/core' */
/** @import { OperatorBounds } from '../src/bounds.ts' */
/** @import { LimitView } from '../src/view.ts' */
/** @typedef {{ id: number, name: string, operation: Operation, limit?: number, minutes?: number }} OperatorRequest */

/** The buttons of one limit. */
export class Controls {
  #element;
  #form;
  /** @type {LimitView | undefined} */
  #view;

  /** @param {HTMLElement} element @param {(request: OperatorRequest) => void} ask */
  constructor(element, ask) {
    this.#element = element;
    this.#form = part(element, '.set');
    for (const button of element.querySelectorAll('button')) {
      const operation = /** @type {Operation | undefined} */ (button.dataset.operation);
      if (operation === undefined) continue;
      button.addEventListener('click', () => {
        if (this.#view !== undefined) ask({ ...naming(this.#view), operation });
      });
    }
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#view === undefined) return;
      const minutes = Number(/** @type {HTMLSelectElement} */ (part(element, '.minutes')).value);
      const limit = Number(this.#value.value);
      const request = {
        ...naming(this.#view),
        operation: /** @type {const} */ ('setLimit'),
        limit,
      };
      ask(minutes === 0 ? request : { ...request, minutes });
    });
  }

  get #value() {
    return /** @type {HTMLInputElement} */ (part(this.#element, '.value'));
  }

  /** @param {LimitView} view @param {boolean} mayOperate @param {OperatorBounds | undefined} bounds */
  show(view, mayOperate, { min = 1, max } = {}) {
    const isFirst = this.#view === undefined;
    this.#view = view;
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

/** @param {LimitView} view */
function naming({ id, name }) {
  return { id, name };
}

/** @param {number} min @param {number | undefined} max */
function rangeOf(min, max) {
  if (max !== undefined) return `from ${min} to ${max}`;
  return min === 1 ? '' : `from ${min}`;
}

/** The supported operations that would change something. @param {LimitView} view @returns {string[]} */
function usableOf({ operations, state, mode, adaptive, frozen }) {
  const useless = [
    ...(state === 'open' ? ['resume'] : []),
    ...(state === 'paused' ? ['pause'] : []),
    ...(state === 'drained' ? ['drain'] : []),
    mode,
    frozen ? 'freeze' : 'unfreeze',
    ...(adaptive && !frozen ? ['setLimit'] : []),
  ];
  return state === 'closed' ? [] : operations.filter((name) => !useless.includes(name));
}
