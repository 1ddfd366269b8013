import { type Binary, binaryIn, findBinary, installed, unpacked } from './binary.ts';

let found: Binary | undefined;

/** @throws Error that names the fix where there is none. */
export function redisBinary(): Binary {
  const named = process.env.REDIS_SERVER;
  const usual = () => [
    ...['redis-server', 'valkey-server'].map(installed),
    ...unpacked('redis').map((root) => binaryIn(root, 'usr/bin/redis-server')),
  ];
  found ??= findBinary(named ? [installed(named)] : usual());
  if (found !== undefined) return found;
  throw new Error(
    'There is no Redis server. Put redis-server or valkey-server on PATH (macOS: brew install redis), name one in ' +
      'REDIS_SERVER, or, on Debian and Ubuntu, run: npm run bootstrap -- --redis',
  );
}
