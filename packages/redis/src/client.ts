import { invalid } from '@headgate/core/shared';
import type { Connection } from './connection.ts';
import { IoredisConnection } from './ioredis.ts';
import { NodeRedisConnection } from './node-redis.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: what the libraries' generic methods can be called with
/** What is asked of `Redis` and `Cluster` of ioredis. */
export interface IoredisClient {
  readonly status: string;
  evalsha(...args: any[]): Promise<unknown>;
  eval(...args: any[]): Promise<unknown>;
  duplicate(...args: any[]): unknown;
  on(event: string, listener: (...args: any[]) => void): unknown;
  off(event: string, listener: (...args: any[]) => void): unknown;
}

/** What is asked of what `createClient()` and `createCluster()` of node-redis return. */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  evalSha(...args: any[]): Promise<unknown>;
  eval(...args: any[]): Promise<unknown>;
  duplicate(...args: any[]): unknown;
  destroy(): void;
  on(event: string, listener: (...args: any[]) => void): unknown;
  off(event: string, listener: (...args: any[]) => void): unknown;
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** A client of ioredis 5 or 6 or of node-redis 5 or 6, or a cluster of either. */
export type RedisClient = IoredisClient | NodeRedisClient;

const expected = 'a client or a cluster of ioredis 5 or 6, or of node-redis 5 or 6';

/** Tells the libraries apart by what they can do: the user's copy may be any. */
export function connectionOf(client: RedisClient): Connection {
  if (has(client, 'evalsha', 'eval', 'duplicate', 'on', 'off') && 'status' in client) {
    return new IoredisConnection(client);
  }
  // node-redis 4 had no `destroy`, its pools cannot be duplicated, and its sentinels hide their nodes.
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
