export { type RedisCluster, type SlotMove, startCluster } from './cluster.ts';
export { type FaultyProxy, startProxy } from './proxy.ts';
export {
  type RedisOptions,
  type RedisServer,
  startRedis,
  startReplica,
  useRedis,
} from './redis-server.ts';
