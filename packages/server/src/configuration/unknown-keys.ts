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
 * Finds keys that have no effect. An ignored `tokn` would start a server that needs no token, so in `[server]` each unknown
 * key is refused, and elsewhere each that resembles a known one. The others may be those of another version.
 *
 * @returns The paths of the others.
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
