import { type Binary, binaryIn, findBinary, unpacked } from './binary.ts';

let found: Binary | undefined;

/** @throws Error that names the fix where there is none. */
export function redisBinary(): Binary {
  const named = process.env.REDIS_SERVER;
  const root = unpacked('redis');
  found ??= findBinary(
    named ? [named] : ['redis-server', 'valkey-server'],
    named || root === undefined ? undefined : binaryIn(root, 'usr/bin/redis-server'),
  );
  if (found !== undefined) return found;
  throw new Error(
    'There is no Redis server. Put redis-server or valkey-server on PATH (macOS: brew install redis), name one in ' +
      'REDIS_SERVER, or, on Debian and Ubuntu, run: npm run bootstrap -- --redis',
  );
}
