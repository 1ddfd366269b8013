import { part, write } from './dom.js';
import { count } from './words.js';

/** @import { OperatorRequest } from './controls.js' */

/** @param {string} id */
const byId = (id) => part(document, `#${id}`);

/** What each operation does, for the operator who is about to confirm it. */
/** @type {Record<OperatorRequest['operation'], (request: OperatorRequest) => string>} */
const consequences = {
  setLimit: ({ limit = 0, view }) =>
    `It will ${view.adaptive ? 'stay at' : 'be'} ${count(limit)}. Lowering it revokes no permit.`,
  pause: ({ view }) =>
    `New requests will be queued, up to the queue limit, and time out there. Queued now: ${count(view.queued)}. ${running(view)}`,
  rejectAll: ({ view }) =>
    `${view.queued === 0 ? 'All new requests' : `The queued requests (${count(view.queued)}) and all new ones`} will be rejected. ${running(view)}`,
  resume: ({ view }) =>
    `Requests will be admitted again${view.queued === 0 ? '' : `, at first the queued ones (${count(view.queued)})`}.`,
  shadow: () =>
    'All requests will be admitted, and those that would have been rejected are counted.',
  enforce: () => 'Requests may be queued or rejected again.',
  adapt: () => 'Its algorithm will continue from its own value.',
};

/** @param {OperatorRequest['view']} view */
function running({ inflight }) {
  return inflight === 0
    ? 'None is running.'
    : `The running ones (${count(inflight)} in use) finish.`;
}

/**
 * The words on the button, and those that follow in the question.
 *
 * @type {Record<OperatorRequest['operation'], readonly string[]>}
 */
const verbs = {
  setLimit: ['Set', 'the limit of'],
  pause: ['Pause'],
  rejectAll: ['Reject all', 'requests of'],
  resume: ['Resume'],
  shadow: ['Start', 'shadow mode of'],
  enforce: ['Enforce'],
  adapt: ['Adapt'],
};

/** The end of a change for which no time is chosen; other changes have no end of their own. */
/** @type {Partial<Record<OperatorRequest['operation'], string>>} */
const ends = {
  setLimit: 'until it is changed',
  pause: 'until it is resumed',
  rejectAll: 'until it is resumed',
};

/** Asks the operator to confirm a request, and sends it. */
export class Confirmation {
  /** What the server requires of an operator's page. */
  token = '';
  #dialog = /** @type {HTMLDialogElement} */ (byId('confirm'));
  #button = /** @type {HTMLButtonElement} */ (byId('confirmed'));
  #minutes = /** @type {HTMLSelectElement} */ (byId('minutes'));
  /** @type {OperatorRequest | undefined} */
  #request;

  constructor() {
    byId('cancel').addEventListener('click', () => this.#dialog.close());
    this.#button.addEventListener('click', () => this.#send());
    this.#minutes.addEventListener('change', () => this.#showConsequence());
  }

  /** @param {OperatorRequest} request */
  ask(request) {
    this.#request = request;
    const { operation, view } = request;
    const words = verbs[operation];
    write(byId('question'), `${words.join(' ')} “${view.name}”?`);
    write(byId('failure'), '');
    write(this.#button, words[0] ?? '');
    this.#button.dataset.operation = operation;
    const end = ends[operation];
    part(this.#dialog, '.keep').hidden = end === undefined;
    this.#minutes.value = '';
    write(part(this.#minutes, 'option'), end ?? '');
    this.#showConsequence();
    this.#dialog.showModal();
  }

  #showConsequence() {
    const request = this.#request;
    if (request === undefined) return;
    const text = [consequences[request.operation](request), this.#afterwards(request)];
    write(byId('consequence'), text.join(' ').trim());
  }

  /** What happens at the end of the chosen time. @param {OperatorRequest} request */
  #afterwards({ operation, returnsTo }) {
    if (this.#minutes.value === '') return '';
    const after = `After ${this.#minutes.selectedOptions[0]?.text}`;
    if (operation !== 'setLimit') return `${after} it resumes.`;
    if (returnsTo === 'adaptive') return `${after} it will adapt again.`;
    const earlier = returnsTo === undefined ? 'the earlier value' : count(returnsTo);
    return `${after} it will be ${earlier} again.`;
  }

  async #send() {
    const sent = this.#request;
    const { view, operation, limit } = sent ?? {};
    const change =
      operation === 'adapt' ? { operation: 'setLimit', limit: 'adaptive' } : { operation, limit };
    const minutes = this.#minutes.value === '' ? undefined : Number(this.#minutes.value);
    this.#button.disabled = true;
    const answer = await fetch('operate', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Headgate-Token': this.token },
      body: JSON.stringify({ id: view?.id, ...change, minutes }),
    }).catch(() => undefined);
    this.#button.disabled = false;
    // The operator may have closed the dialog, and asked for something else meanwhile.
    if (this.#request !== sent) return;
    if (answer?.ok) this.#dialog.close();
    else write(byId('failure'), answer ? await answer.text() : 'The server cannot be reached');
  }
}
