import type { Table } from './table.ts';

const serverKeys = [
  'token',
  'certificate',
  'key',
  'max_peers',
  'max_blocked',
  'max_connections',
] as const;

/** `litter_collection_interval` and `gelf` are keys of pacman82/throttle, and have no effect here. */
const rootKeys = ['semaphores', 'logging', 'server', 'litter_collection_interval'];

/**
 * Finds keys that have no effect. In `[server]`, each unknown key is refused, since a server whose `tokn` was ignored
 * would need no token. Elsewhere, a key is refused if it resembles a known one. Other keys may belong to another
 * version.
 *
 * @returns The paths of the other keys.
 * @throws InvalidValue for the first key that is refused.
 */
export function unknownKeys(root: Table): string[][] {
  const server = root.table('server');
  server.refuseUnknown(serverKeys);
  const elsewhere = serverKeys.map((key) => `server.${key}`);
  const semaphores = root.table('semaphores');
  const logging = root.table('logging');
  return [
    ...root.unknown(rootKeys, elsewhere),
    ...logging.unknown(['stderr', 'gelf'], elsewhere),
    ...logging.table('stderr').unknown(['level'], elsewhere),
    ...semaphores.tables().flatMap((each) => each.unknown(['max', 'level'], elsewhere)),
  ];
}
