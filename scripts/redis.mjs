// A Redis server for tests, where PATH has none: Debian's package, unpacked without root into
// node_modules/.cache/redis.
import { resolve } from 'node:path';
import { findProgram } from './debian.mjs';

export function findRedis() {
  const named = process.env.REDIS_SERVER;
  findProgram('redis-server', {
    usual: named ? [named] : ['redis-server', 'valkey-server'],
    folder: resolve('node_modules/.cache/redis'),
    wrong: named && `REDIS_SERVER=${named} does not run`,
    macOS: 'brew install redis',
    elsewhere: 'REDIS_SERVER=/path/to/redis-server (or valkey-server)',
  });
}
