import { copy, part, write } from './dom.js';
import { count, duration, wait } from './words.js';

/** @import { PeerEntry, PeerList } from '../src/http/snapshot.ts' */

/** The first holders or waiting peers of a semaphore, and the number of the others. */
export class PeerListView {
  element = copy('peer-list');
  #title;
  #heading = part(this.element, 'h2');
  #table = part(this.element, 'table');
  #body = part(this.element, 'tbody');
  #more = part(this.element, '.more');

  /** @param {string} title @param {string} since The heading of the time column. */
  constructor(title, since) {
    this.#title = title;
    write(part(this.element, '.since'), since);
    this.#table.setAttribute('aria-label', title);
  }

  /** @param {PeerList} list */
  show({ peers, first }) {
    write(this.#heading, `${this.#title} · ${count(peers)}`);
    this.#table.hidden = peers === 0;
    const rows = this.#body.children;
    while (rows.length > first.length) rows[first.length]?.remove();
    while (rows.length < first.length) this.#body.append(copy('peer-entry'));
    for (const [i, entry] of first.entries()) show(/** @type {Element} */ (rows[i]), entry);
    const left = peers - first.length;
    write(this.#more, peers === 0 ? 'None' : left > 0 ? `and ${count(left)} more` : '');
  }
}

/** @param {Element} row @param {PeerEntry} entry */
function show(row, entry) {
  write(part(row, '.peer'), entry.peer);
  write(part(row, '.count'), count(entry.count));
  write(part(row, '.since'), wait(entry.since));
  write(part(row, '.expires'), duration(entry.expiresIn));
}
