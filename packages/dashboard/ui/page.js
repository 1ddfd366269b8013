import { Confirmation } from './confirm.js';
import { part, write } from './dom.js';
import { Feed } from './feed.js';
import { summarize } from './summary.js';
import { Table } from './table.js';
import { count } from './words.js';

/** @import { PageState, Snapshot } from '../src/messages.ts' */
/** @import { LimitView } from '../src/view.ts' */

/** The search is shown only above this number of limits. */
const MAX_WITHOUT_SEARCH = 8;

/** @param {string} id */
const byId = (id) => part(document, `#${id}`);

const confirmation = new Confirmation();
const table = new Table(byId('table'), byId('idle'), (request) => confirmation.ask(request));
const text = /** @type {HTMLInputElement} */ (byId('text'));

/** The process whose limits are shown. */
let instance = '';
/** @type {Snapshot | undefined} */
let latest;

/** @param {'live' | 'away'} is @param {string} words */
function say(is, words) {
  byId('status').dataset.is = is;
  byId('shown').classList.toggle('away', is === 'away');
  write(byId('status'), words);
}

/** @param {Snapshot & Partial<PageState>} state @param {boolean} isStream */
function show(state, isStream) {
  latest = state;
  if (state.instance !== undefined && state.instance !== instance) {
    // Another process, with other limits and another clock.
    instance = state.instance;
    table.clear();
    write(byId('place'), [location.host, `process ${state.pid}`].join(' · '));
  }
  if (state.access !== undefined) table.mayOperate = state.access === 'operate';
  if (state.bounds !== undefined) table.bounds = new Map(Object.entries(state.bounds));
  if (state.token !== undefined) confirmation.token = state.token;
  say('live', isStream ? 'Live' : 'Live, by polling');
  byId('shown').hidden = false;
  table.add(state);
  draw();
}

function draw() {
  if (latest === undefined) return;
  const { limits } = latest;
  const wanted = text.value.toLowerCase();
  const named = limits.filter(({ name, gate = '' }) =>
    `${gate} ${name}`.toLowerCase().includes(wanted),
  );
  // A limit is below its gate.
  const gates = new Set(named.map(({ gate }) => gate));
  const found = limits.filter((each) => named.includes(each) || isGateOf(each, gates));
  byId('find').hidden = limits.length <= MAX_WITHOUT_SEARCH && wanted === '';
  byId('table').hidden = found.length === 0;
  byId('key').hidden = found.length === 0;
  write(byId('note'), note(found.length));
  const isFound = (/** @type {LimitView} */ view) => found.includes(view);
  table.show(latest, wanted === '' ? undefined : isFound);
  summarize(byId('summary'), table.rows);
  // The limits of a gate count the same requests as the gate.
  const queued = limits.reduce((sum, each) => sum + (each.gate === undefined ? each.queued : 0), 0);
  document.title = queued === 0 ? 'Limits' : `${count(queued)} queued · Limits`;
}

/** @param {LimitView} view @param {Set<string | undefined>} gates The names of gates. */
function isGateOf({ name, limitName }, gates) {
  return limitName === undefined && gates.has(name);
}

/** @param {number} found */
function note(found) {
  if (found > 0) return '';
  return text.value === '' ? 'There are no limits.' : `No name has “${text.value}” in it.`;
}

/** @param {number | undefined} status */
function fail(status) {
  const why =
    status === undefined ? 'The server cannot be reached' : `The server answers ${status}`;
  say('away', `${why}: trying again`);
}

const feed = new Feed(show, fail);

text.addEventListener('input', draw);
byId('idle').addEventListener('idle', draw);

// A hidden page needs no samples: it receives them when it is visible again.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) feed.stop();
  else feed.start();
});

feed.start();
