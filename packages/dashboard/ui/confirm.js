import { part, write } from './dom.js';
import { count } from './words.js';

/** @import { OperatorRequest } from './controls.js' */

/** @param {string} id */
const byId = (id) => part(document, `#${id}`);

/** What each operation does, for the operator who is about to confirm it. */
const consequences = {
  pause: 'New requests will be queued, and time out there. Running ones finish.',
  drain: 'Queued and new requests will be rejected. Running ones finish.',
  resume: 'Requests will be admitted again.',
  shadow: 'All requests will be admitted, and counted as rejected if they would have been.',
  enforce: 'Requests may be queued or rejected again.',
  freeze: 'The limit will stay at its current value.',
  unfreeze: 'The limit will return to the value of its algorithm.',
};

const verbs = {
  setLimit: 'Set the limit of',
  pause: 'Pause',
  drain: 'Drain',
  resume: 'Resume',
  shadow: 'Start shadow mode of',
  enforce: 'Enforce',
  freeze: 'Freeze',
  unfreeze: 'Unfreeze',
};

/** Asks the operator to confirm a request, and sends it. */
export class Confirmation {
  /** What the server requires of an operator's page. */
  token = '';
  #dialog = /** @type {HTMLDialogElement} */ (byId('confirm'));
  #button = /** @type {HTMLButtonElement} */ (byId('confirmed'));
  /** @type {OperatorRequest | undefined} */
  #request;

  constructor() {
    byId('cancel').addEventListener('click', () => this.#dialog.close());
    this.#button.addEventListener('click', () => this.#send());
  }

  /** @param {OperatorRequest} request */
  ask(request) {
    this.#request = request;
    write(byId('question'), `${verbs[request.operation]} “${request.name}”?`);
    write(byId('consequence'), consequenceOf(request));
    write(byId('failure'), '');
    const [verb = ''] = verbs[request.operation].split(' ', 1);
    write(this.#button, verb);
    this.#dialog.showModal();
  }

  async #send() {
    const sent = this.#request;
    const { id, operation, limit, minutes } = sent ?? {};
    this.#button.disabled = true;
    const answer = await fetch('operate', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Headgate-Token': this.token },
      body: JSON.stringify({ id, operation, limit, minutes }),
    }).catch(() => undefined);
    this.#button.disabled = false;
    // The operator may have closed the dialog, and asked for something else meanwhile.
    if (this.#request !== sent) return;
    if (answer?.ok) this.#dialog.close();
    else write(byId('failure'), answer ? await answer.text() : 'The server cannot be reached');
  }
}

/** @param {OperatorRequest} request */
function consequenceOf({ operation, limit = 0, minutes, returnsTo }) {
  if (operation !== 'setLimit') return consequences[operation];
  const earlier = returnsTo === undefined ? 'the earlier value' : count(returnsTo);
  const end = minutes === undefined ? '' : ` for ${minutes} minutes, and then ${earlier} again`;
  return `It will be ${count(limit)}${end}. Lowering it revokes no permit.`;
}
