import { part, write } from './dom.js';

/** @import { Order } from './controls.js' */

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

/** Asks the operator to confirm an order, and sends it. */
export class Confirmation {
  /** What the server requires of an operator's page. */
  token = '';
  #dialog = /** @type {HTMLDialogElement} */ (byId('confirm'));
  #button = /** @type {HTMLButtonElement} */ (byId('confirmed'));
  /** @type {Order | undefined} */
  #order;

  constructor() {
    byId('cancel').addEventListener('click', () => this.#dialog.close());
    this.#button.addEventListener('click', () => this.#send());
  }

  /** @param {Order} order */
  ask(order) {
    this.#order = order;
    write(byId('question'), `${verbs[order.operation]} “${order.name}”?`);
    write(byId('consequence'), consequenceOf(order));
    write(byId('failure'), '');
    const [verb = ''] = verbs[order.operation].split(' ', 1);
    write(this.#button, verb);
    this.#dialog.showModal();
  }

  async #send() {
    const asked = this.#order;
    const { name: _, ...order } = asked ?? {};
    this.#button.disabled = true;
    const answer = await fetch('operate', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Headgate-Token': this.token },
      body: JSON.stringify(order),
    }).catch(() => undefined);
    this.#button.disabled = false;
    // The operator may have closed the dialog, and asked for something else meanwhile.
    if (this.#order !== asked) return;
    if (answer?.ok) this.#dialog.close();
    else write(byId('failure'), answer ? await answer.text() : 'The server cannot be reached');
  }
}

/** @param {Order} order */
function consequenceOf({ operation, limit, minutes }) {
  if (operation !== 'setLimit') return consequences[operation];
  const end =
    minutes === undefined ? '' : ` for ${minutes} minutes, and then the current value again`;
  return `It will be ${limit}${end}. Lowering it revokes no permit.`;
}
