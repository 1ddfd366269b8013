import { part, write } from './dom.js';
import { Table } from './table.js';
import { count } from './words.js';

/** @import { Snapshot } from '../src/http/snapshot.ts' */

/** Milliseconds between an answer and the next question; doubled while there is none. */
const pace = 1_000;
const slowest = 15_000;
/** So many can be looked through without a search. */
const few = 8;

/** Under what the token is kept. */
const kept = 'headgate-token';

/** @param {string} id */
const byId = (id) => part(document, `#${id}`);

const table = new Table(byId('table'));
const ask = byId('ask');
const token = /** @type {HTMLInputElement} */ (byId('token'));
const text = /** @type {HTMLInputElement} */ (byId('text'));
const pause = byId('pause');

let isPaused = false;
let isLocked = false;
let failures = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;
/** What is asked by an older question is not shown. */
let questions = 0;

/** @param {'live' | 'paused' | 'away' | 'locked'} is @param {string} words */
function say(is, words) {
  byId('status').dataset.is = is;
  byId('shown').classList.toggle('away', is === 'away');
  write(byId('status'), words);
}

async function question() {
  clearTimeout(next);
  const number = ++questions;
  const hadToken = sessionStorage.getItem(kept) !== null;
  const answer = await fetchState();
  if (number !== questions || isPaused) return;
  if (answer?.status === 401) return lock(hadToken ? 'That is not its token.' : '');
  const snapshot = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
  if (number !== questions || isPaused) return;
  failures = snapshot === undefined ? failures + 1 : 0;
  if (snapshot === undefined) away(answer);
  else show(snapshot);
  const delay = Math.min(pace * 2 ** failures, slowest);
  if (!document.hidden) next = setTimeout(question, delay);
}

/** Undefined where there is no answer. */
async function fetchState() {
  const known = sessionStorage.getItem(kept);
  const headers = known === null ? {} : { Authorization: `Bearer ${known}` };
  const url = `ui/state?${new URLSearchParams({ find: text.value })}`;
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  } catch {
    return undefined;
  }
}

/** @param {Snapshot} snapshot */
function show({ version, peers, found, semaphores }) {
  say('live', 'Live');
  byId('shown').hidden = false;
  byId('forget').hidden = sessionStorage.getItem(kept) === null;
  const connected = peers === 1 ? '1 peer' : `${count(peers)} peers`;
  write(byId('place'), [location.host, `Headgate ${version}`, connected].join(' · '));
  byId('find').hidden = found <= few && text.value === '';
  byId('table').hidden = found === 0;
  byId('key').hidden = found === 0;
  byId('example').hidden = found > 0 || text.value !== '';
  write(byId('note'), note(found, found - semaphores.length));
  table.show(semaphores, performance.now());
  const waiting = semaphores.reduce((sum, each) => sum + each.waiting.peers, 0);
  document.title = waiting === 0 ? 'Semaphores' : `${count(waiting)} waiting · Semaphores`;
}

/** @param {number} found @param {number} left How many of them are not shown. */
function note(found, left) {
  if (left > 0) return `and ${count(left)} more: find them by their names`;
  if (found > 0) return '';
  if (text.value !== '') return `No name has “${text.value}” in it.`;
  return 'No semaphores are configured. Name some in the configuration file:';
}

/** @param {Response | undefined} answer */
function away(answer) {
  const why =
    answer === undefined ? 'The server cannot be reached' : `The server answers ${answer.status}`;
  say('away', `${why}: trying again`);
}

/**
 * Asks for the token, and forgets the one that there was.
 *
 * @param {string} [wrong]
 */
function lock(wrong = '') {
  sessionStorage.removeItem(kept);
  questions += 1;
  setLocked(true);
  write(byId('place'), location.host);
  write(byId('wrong'), wrong);
  say('locked', 'Locked');
  token.value = '';
  token.focus();
}

/** @param {boolean} value */
function setLocked(value) {
  isLocked = value;
  ask.hidden = !value;
  pause.hidden = value;
  if (value) byId('shown').hidden = true;
  if (value) byId('forget').hidden = true;
}

ask.addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(kept, token.value);
  setLocked(false);
  question();
});

byId('forget').addEventListener('click', () => lock());

text.addEventListener('input', () => {
  if (isPaused) pause.click();
  else question();
});

pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', `${isPaused}`);
  if (isPaused) say('paused', 'Paused');
  else question();
});

// A page that nobody sees asks nothing.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !isPaused && !isLocked) question();
});

const needsToken = document.documentElement.dataset.token === 'yes';
if (needsToken && sessionStorage.getItem(kept) === null) lock();
else question();
