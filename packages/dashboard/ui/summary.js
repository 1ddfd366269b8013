import { write } from './dom.js';
import { groupsOf, worstOf } from './order.js';
import { rankOf, troubles } from './trouble.js';
import { count } from './words.js';

/** @import { Row } from './row.js' */

/** Names per sentence; there may be hundreds. */
const MAX_NAMES = 3;

/** Says whether anything is wrong, the worst first. @param {HTMLElement} list @param {readonly Row[]} rows */
export function summarize(list, rows) {
  const sentences = rows.length === 0 ? [] : sentencesOf(rows);
  while (list.children.length > sentences.length) list.lastElementChild?.remove();
  while (list.children.length < sentences.length) list.append(document.createElement('li'));
  for (const [i, { trouble, text }] of sentences.entries()) {
    const line = /** @type {HTMLElement} */ (list.children[i]);
    line.dataset.trouble = trouble;
    write(line, text);
  }
}

/** @param {readonly Row[]} rows */
function sentencesOf(rows) {
  const limits = groupsOf(rows).map((group) => ({
    name: group[0]?.name ?? '',
    is: worstOf(group),
  }));
  const sentences = troubles.flatMap(([trouble, one, many]) => {
    const names = limits.filter(({ is }) => is === trouble).map(({ name }) => name);
    if (trouble === 'none' || names.length === 0) return [];
    return [{ trouble, text: `${listOf(names)} ${names.length === 1 ? one : many}` }];
  });
  const isFine = limits.every(({ is }) => rankOf(is) < rankOf('queues'));
  const fine = { trouble: 'none', text: 'No limit rejects or queues requests' };
  return [...(isFine ? [fine] : []), ...sentences.reverse()];
}

/** @param {readonly string[]} names */
function listOf(names) {
  const shown = names.slice(0, MAX_NAMES);
  const others = names.length - shown.length;
  const last = others > 0 ? `${count(others)} more` : shown.pop();
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}
