/** The kinds of changes, the largest first: each increments the number at its position in a version. */
const kinds = ['major', 'minor', 'patch'];

/**
 * The version after changes of these kinds. Not that of changesets, for which a new minor version of the core is a new
 * major one of each package that has the core as a peer, and so of all.
 */
export function nextVersion(version, types) {
  const position = Math.min(...types.map((type) => kinds.indexOf(type)));
  const numbers = version.split('.').map(Number);
  return numbers.map((n, i) => (i < position ? n : i === position ? n + 1 : 0)).join('.');
}
