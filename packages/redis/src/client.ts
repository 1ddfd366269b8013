import { invalid } from '@headgate/core/options';
import type { Connection } from './connection.ts';
import { type IoredisClient, IoredisConnection } from './ioredis.ts';
import { type NodeRedisClient, NodeRedisConnection } from './node-redis.ts';

/** A client of ioredis 5 or 6 or of node-redis 5 or 6, or a cluster of either. */
export type RedisClient = IoredisClient | NodeRedisClient;

const expected = 'a client or a cluster of ioredis 5 or 6, or of node-redis 5 or 6';

/** Recognizes the library by its methods, because the app's copy may be of any version. */
export function connectionOf(client: RedisClient): Connection {
  if (has(client, 'evalsha', 'eval', 'duplicate', 'on', 'off') && 'status' in client) {
    return new IoredisConnection(client);
  }
  // Excluded: node-redis 4 (no `destroy`), its pools (cannot be duplicated) and its sentinels (do not expose their
  // nodes).
  const isOfNodeRedis = has(client, 'evalSha', 'eval', 'duplicate', 'destroy', 'on', 'off');
  if (isOfNodeRedis && !('getMasterNode' in client)) {
    return new NodeRedisConnection(client as NodeRedisClient);
  }
  throw invalid('client', expected, client);
}

function has(client: RedisClient, ...methods: string[]): boolean {
  if (typeof client !== 'object' || client === null) return false;
  return methods.every((name) => typeof client[name as keyof RedisClient] === 'function');
}
