/** A metric, in the terms of OpenTelemetry. */
export interface Metric {
  /** Name of the metric, with dots. */
  readonly name: string;
  /** What it measures, in one sentence. */
  readonly description: string;
  /** The unit in UCUM: `s`, `1`, or an annotation such as `{request}`. An empty string means no unit. */
  readonly unit: string;
  /** `sum`: a number that rises and falls and may be added up over processes. A `gauge` must not be added up. */
  readonly kind: 'counter' | 'sum' | 'gauge' | 'histogram';
}

function define(name: string, kind: Metric['kind'], unit: string, description: string): Metric {
  return { name: `headgate.${name}`, kind, unit, description };
}

/** The names of the attributes. Keys, tenants and paths are never attribute values, since their number has no bound. */
export const attributeNames = {
  limit: 'headgate.limit.name',
  outcome: 'headgate.outcome',
  store: 'headgate.store.name',
  reason: 'headgate.reason',
  /** The value of a limit other than the one that applies. */
  otherLimit: 'headgate.shadow.limit',
  quantile: 'headgate.quantile',
  /** The upper bound of a bucket. */
  bound: 'headgate.inflight.bound',
} as const;

/** Upper bounds of the buckets of both histograms, in seconds. */
export const bucketBounds: readonly number[] = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30,
];

/** Every metric of a limit, and of a store. `docs/metrics.md` has the same table. */
export const metrics = {
  requests: define('requests', 'counter', '{request}', 'Requests, by outcome'),
  wouldReject: define(
    'shadow.rejections',
    'counter',
    '{request}',
    'Requests that only shadow mode has admitted, by outcome',
  ),
  active: define('active_requests', 'sum', '{request}', 'Requests that hold a permit'),
  abandoned: define(
    'abandoned_requests',
    'sum',
    '{request}',
    'Requests that hold a permit although their client has left',
  ),
  queued: define('queued_requests', 'sum', '{request}', 'Requests in the queue'),
  longestWait: define('queue.longest_wait', 'gauge', 's', 'Wait of the oldest queued request'),
  learnedTimeout: define(
    'queue.learned_timeout',
    'gauge',
    's',
    'Wait after which answers come too late for the clients',
  ),
  timeInQueue: define('request.time_in_queue', 'histogram', 's', 'Wait of queued requests'),
  held: define('permit.duration', 'histogram', 's', 'Time for which permits were held'),
  leaked: define('permits.leaked', 'counter', '{permit}', 'Permits released after maxHold'),
  limit: define('limit', 'sum', '{permit}', 'Maximum weight in flight, per key if keyed'),
  limitRejections: define(
    'limit.rejections',
    'counter',
    '{request}',
    'Requests that this limit has rejected, by outcome',
  ),
  inflight: define('inflight', 'sum', '{permit}', 'Weight in flight'),
  inflightPeak: define('inflight.peak', 'gauge', '{permit}', 'Highest weight in flight so far'),
  inflightAtAdmission: define(
    'inflight.admissions',
    'counter',
    '{request}',
    'Admissions at up to this weight in flight',
  ),
  shadowRejected: define(
    'shadow.rejected',
    'gauge',
    '1',
    'Fraction of requests that another limit would have rejected, in shadow mode',
  ),
  shadowWait: define('shadow.wait', 'gauge', 's', 'Wait at another limit, in shadow mode'),
  shadowPeak: define(
    'shadow.inflight.peak',
    'gauge',
    '{permit}',
    'Highest weight in flight at another limit, in shadow mode',
  ),
  baseline: define('adaptive.baseline', 'gauge', 's', 'Time that work takes without load'),
  storeUp: define('store.up', 'gauge', '', 'Whether the store is available: 1 or 0'),
  roundTrip: define('store.round_trip', 'gauge', 's', 'Mean round trip to the store'),
  lost: define('permits.lost', 'counter', '{permit}', 'Permits that have lost their lease'),
  reclaimed: define('leases.reclaimed', 'counter', '{lease}', 'Expired leases that were removed'),
  storeImpaired: define('store.impaired', 'gauge', '', 'Whether a store is impaired, by reason'),
  storeCalls: define('store.calls', 'counter', '{call}', 'Calls of a store'),
  storeErrors: define('store.errors', 'counter', '{error}', 'Operations that a store has failed'),
  storeLatency: define('store.latency', 'gauge', 's', 'Mean round trip to a store'),
  storeLost: define('store.permits.lost', 'counter', '{permit}', 'Permits that a store has lost'),
  storeReclaimed: define(
    'store.leases.reclaimed',
    'counter',
    '{lease}',
    'Expired leases that were removed from a store',
  ),
  guardDelay: define('guard.delay', 'gauge', 's', 'Delay that the guard measures'),
  guardShedding: define(
    'guard.shedding',
    'gauge',
    '1',
    'Fraction of requests that the guard rejects',
  ),
} as const satisfies Record<string, Metric>;
