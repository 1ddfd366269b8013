import { rankOf } from './trouble.js';

/** @import { Row } from './row.js' */

/**
 * Sorts rows by their trouble, a gate together with its limits. Those with the same trouble keep the order of the app.
 *
 * @param {readonly Row[]} rows
 */
export function byTrouble(rows) {
  return groupsOf(rows)
    .sort((one, other) => rankOf(worstOf(other)) - rankOf(worstOf(one)))
    .flat();
}

/** Each gate with its limits, and each other limit alone. @param {readonly Row[]} rows */
export function groupsOf(rows) {
  /** @type {Row[][]} */
  const groups = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (row.isPart && last !== undefined) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** @param {readonly Row[]} group */
export function worstOf(group) {
  const troubles = group.map(({ trouble }) => trouble);
  return troubles.reduce((worst, each) => (rankOf(each) > rankOf(worst) ? each : worst), 'none');
}
