export { bundle, bundleService } from './bundle.ts';
export { createCertificate } from './certificate.ts';
export { childrenOf } from './children.ts';
export { type RedisCluster, type SlotMove, startCluster } from './cluster.ts';
export { type LoadBalancer, startHaproxy, startNginx } from './load-balancers.ts';
export { type PgBouncer, type PgBouncerOptions, startPgBouncer } from './pgbouncer.ts';
export { freePort } from './ports.ts';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.ts';
export { chromiumOptions, findProgram, type Program, type ProgramName } from './programs.ts';
export {
  type PrometheusOptions,
  type PrometheusSeries,
  PrometheusServer,
  type PrometheusTarget,
  promtool,
  startPrometheus,
} from './prometheus.ts';
export { type FaultyProxy, startProxy } from './proxy.ts';
export {
  type RedisOptions,
  type RedisServer,
  startRedis,
  startReplica,
  useRedis,
} from './redis-server.ts';
export { startWorkerd, type WorkerdServer, type WorkerOptions } from './workerd.ts';
