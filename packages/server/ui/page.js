import { part, write } from './dom.js';
import { LimitsTable } from './limits.js';
import { Table } from './table.js';
import { count } from './words.js';

/** @import { Snapshot } from '../src/http/snapshot.ts' */

/** Milliseconds between an answer and the next request; doubled after each failure. */
const MIN_DELAY = 1_000;
const MAX_DELAY = 15_000;
/** The search is shown only above this number of semaphores, or of limits. */
const MAX_WITHOUT_SEARCH = 8;

/** The key of the token in the session storage. */
const tokenKey = 'headgate-token';

/** @param {string} id */
const byId = (id) => part(document, `#${id}`);

const table = new Table(byId('table'));
const limitsTable = new LimitsTable(/** @type {HTMLTableElement} */ (byId('limits')));
const ask = byId('ask');
const token = /** @type {HTMLInputElement} */ (byId('token'));
const text = /** @type {HTMLInputElement} */ (byId('text'));
const pause = byId('pause');

let isPaused = false;
let isLocked = false;
/** The server sends its history once; later samples are this page's own. */
let hasHistory = false;
let failures = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;
/** Numbers the requests: an answer to an older one is ignored. */
let requests = 0;

/** @param {'live' | 'paused' | 'away' | 'locked'} is @param {string} words */
function say(is, words) {
  byId('status').dataset.is = is;
  byId('shown').classList.toggle('away', is === 'away');
  write(byId('status'), words);
}

async function poll() {
  clearTimeout(next);
  const number = ++requests;
  const hadToken = sessionStorage.getItem(tokenKey) !== null;
  const answer = await fetchState();
  if (number !== requests || isPaused) return;
  if (answer?.status === 401) return lock(hadToken ? 'That is not its token.' : '');
  const snapshot = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
  if (number !== requests || isPaused) return;
  failures = snapshot === undefined ? failures + 1 : 0;
  if (snapshot === undefined) away(answer);
  else show(snapshot);
  const delay = Math.min(MIN_DELAY * 2 ** failures, MAX_DELAY);
  if (!document.hidden) next = setTimeout(poll, delay);
}

/** Undefined if there is no answer. */
async function fetchState() {
  const known = sessionStorage.getItem(tokenKey);
  const headers = known === null ? {} : { Authorization: `Bearer ${known}` };
  const query = { find: text.value, ...(hasHistory ? {} : { history: '' }) };
  const url = `ui/state?${new URLSearchParams(query)}`;
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  } catch {
    return undefined;
  }
}

/** @param {Snapshot} snapshot */
function show({ version, peers, found, semaphores, foundLimits, limits, history }) {
  hasHistory = true;
  say('live', 'Live');
  byId('shown').hidden = false;
  byId('forget').hidden = sessionStorage.getItem(tokenKey) === null;
  const connected = peers === 1 ? '1 peer' : `${count(peers)} peers`;
  write(byId('place'), [location.host, `Headgate ${version}`, connected].join(' · '));
  byId('find').hidden = Math.max(found, foundLimits) <= MAX_WITHOUT_SEARCH && text.value === '';
  byId('table').hidden = found === 0;
  byId('key').hidden = found === 0;
  byId('limits').hidden = foundLimits === 0;
  byId('example').hidden = found + foundLimits > 0 || text.value !== '';
  write(byId('note'), found + foundLimits > 0 ? more(found - semaphores.length) : nothing());
  write(byId('limits-note'), more(foundLimits - limits.length));
  limitsTable.show(limits);
  table.show(semaphores, performance.now(), history);
  const peersWaiting = semaphores.reduce((sum, each) => sum + each.waiting.peers, 0);
  const waiting = limits.reduce((sum, each) => sum + each.queued, peersWaiting);
  document.title = waiting === 0 ? 'Semaphores' : `${count(waiting)} waiting · Semaphores`;
}

/** @param {number} left The number of rows that are not shown. */
function more(left) {
  return left > 0 ? `and ${count(left)} more: find them by their names` : '';
}

function nothing() {
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
 * Prompts for the token and discards the stored one.
 *
 * @param {string} [wrong]
 */
function lock(wrong = '') {
  sessionStorage.removeItem(tokenKey);
  clearTimeout(next);
  requests += 1;
  setPaused(false);
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

/** @param {boolean} value */
function setPaused(value) {
  isPaused = value;
  pause.setAttribute('aria-pressed', `${value}`);
}

ask.addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(tokenKey, token.value);
  setLocked(false);
  poll();
});

byId('forget').addEventListener('click', () => lock());

text.addEventListener('input', () => {
  if (isPaused) pause.click();
  else poll();
});

pause.addEventListener('click', () => {
  setPaused(!isPaused);
  if (!isPaused) return poll();
  clearTimeout(next);
  say('paused', 'Paused');
});

// A hidden page sends no requests.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !isPaused && !isLocked) poll();
});

const needsToken = document.documentElement.dataset.token === 'yes';
if (needsToken && sessionStorage.getItem(tokenKey) === null) lock();
else poll();
