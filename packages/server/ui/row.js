import { Chart } from './chart.js';
import { copy, part, write } from './dom.js';
import { PeerListView } from './peer-list.js';
import { count, wait } from './words.js';

/** @import { PastSample, SemaphoreView } from '../src/http/snapshot.ts' */

let rows = 0;

/** One semaphore: its figures, its history and, when expanded, its holders and waiting peers. */
export class Row {
  element = copy('row');
  /** When it was last shown. */
  seen = 0;
  #toggle = part(this.element, '.toggle');
  #details = part(this.element, '.details');
  #chart = new Chart(part(this.element, '.history'));
  #holding = new PeerListView('Holding', 'Held for');
  #waiting = new PeerListView('Waiting, in order', 'Waits for');

  /** @param {string} name @param {boolean} isOpen */
  constructor(name, isOpen) {
    write(part(this.element, '.title'), name);
    this.#details.id = `details-${++rows}`;
    this.#toggle.setAttribute('aria-controls', this.#details.id);
    this.#toggle.addEventListener('click', () => this.#open(this.#details.hidden === true));
    part(this.element, '.peer-lists').append(this.#holding.element, this.#waiting.element);
    this.#open(isOpen);
  }

  /** @param {number} now @param {readonly PastSample[]} samples */
  addPast(now, samples) {
    for (const [ago, used, pending, max] of samples) {
      this.#chart.add({ at: now - ago, used, demand: used + pending, max });
    }
  }

  /** @param {SemaphoreView} view @param {number} now @param {boolean} hasLevels */
  show(view, now, hasLevels) {
    this.seen = now;
    const { acquired, max, pending, waiting, longestWait } = view;
    const over = BigInt(acquired) - BigInt(max);
    write(part(this.element, '.acquired'), count(acquired));
    write(part(this.element, '.max'), count(max));
    write(part(this.element, '.over'), over > 0n ? `${count(`${over}`)} over` : '');
    write(part(this.element, '.tag'), tagOf(view, hasLevels));
    write(part(this.element, '.waiting .peers'), waiting.peers === 0 ? '–' : count(waiting.peers));
    const isPlain = pending === `${waiting.peers}`;
    write(part(this.element, '.waiting .sum'), isPlain ? '' : `count ${count(pending)}`);
    write(part(this.element, '.longest'), waiting.peers === 0 ? '–' : wait(longestWait));
    this.element.dataset.over = over > 0n ? 'yes' : 'no';
    this.element.dataset.waits = waiting.peers > 0 ? 'yes' : 'no';
    const used = Number(acquired);
    part(this.element, '.fill').style.width = `${Math.min(1, used / (Number(max) || 1)) * 100}%`;
    this.#chart.add({ at: now, used, demand: used + Number(pending), max: Number(max) });
    this.#chart.draw(now);
    this.#holding.show(view.holding);
    this.#waiting.show(waiting);
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#details.hidden = !isOpen;
    this.#toggle.setAttribute('aria-expanded', `${isOpen}`);
  }
}

/** @param {SemaphoreView} view @param {boolean} hasLevels */
function tagOf({ level, retired }, hasLevels) {
  if (retired) return 'no longer configured';
  return hasLevels ? `level ${level}`.replace('-', '−') : '';
}
