// A Redis server for tests, where PATH has none: Debian's package, unpacked without root into
// node_modules/.cache/redis.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackDebian, works } from './debian.mjs';

const folder = resolve('node_modules/.cache/redis');

export function findRedis() {
  const named = process.env.REDIS_SERVER;
  const onPath = named ? [named] : ['redis-server', 'valkey-server'];
  if (onPath.some(works) || existsSync(join(folder, 'root'))) return;
  try {
    if (named) throw new Error(`REDIS_SERVER=${named} does not run`);
    console.log('No redis-server on PATH: taking Debian’s into node_modules/.cache/redis (once)…');
    unpackDebian(folder, 'redis-server');
  } catch (error) {
    // Whatever needs no Redis goes on; the tests that do need one fail and say the same.
    console.error(`
There is no Redis server: ${error.message}.
Tests that need one will fail. Any of these helps:
  Debian, Ubuntu: apt-get install redis-server
  macOS: brew install redis
  another place: REDIS_SERVER=/path/to/redis-server (or valkey-server)
`);
  }
}
