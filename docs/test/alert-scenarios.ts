/**
 * Series of a limit as promtool reads them, one value every 30 s: `0+30x60` starts at 0 and grows by 30, 60 times. Those
 * without a label `instance` are of one process.
 */
type SeriesOfLimit = Readonly<Record<string, string>>;

export interface AlertScenario {
  /** The alert fires for a limit with these series. */
  readonly bad: SeriesOfLimit;
  /** It does not for a limit with these, which are almost the same. */
  readonly good: SeriesOfLimit;
  /** Names what the alert is about. Default: `headgate_limit_name`. */
  readonly label?: string;
  /** It does not fire yet; undefined if it fires at once. */
  readonly notYet?: string;
  readonly firing: string;
}

const constant = (value: number) => `${value}+0x80`;
/** Grows by this much every 30 s. */
const growing = (by: number) => `0+${by}x80`;
/** Grows once, after ten minutes. */
const once = '0+0x19 1+0x60';
const requests = (outcome: string) => `headgate_requests_total{headgate_outcome="${outcome}"}`;

/** A process with a distributed limit of four: the weight that it holds, and its waiters. */
const process = (instance: string, inflight: number, queued: number) => ({
  [`headgate_store_up{instance="${instance}"}`]: constant(1),
  [`headgate_limit{instance="${instance}"}`]: constant(4),
  [`headgate_inflight{instance="${instance}"}`]: constant(inflight),
  [`headgate_queued_requests{instance="${instance}"}`]: constant(queued),
});

const stuck: AlertScenario = {
  bad: {
    headgate_queued_requests: constant(1),
    headgate_inflight: constant(4),
    headgate_limit: constant(4),
  },
  good: {
    headgate_queued_requests: constant(1),
    headgate_inflight: constant(4),
    headgate_limit: constant(4),
    headgate_permit_duration_seconds_count: growing(1),
  },
  notYet: '30s',
  firing: '3m',
};

/** Two processes that hold these weights of a distributed limit, and wait; if one of them releases, neither is stuck. */
const stuckInBoth = (one: number, other: number): AlertScenario => ({
  ...stuck,
  bad: { ...process('a', one, 1), ...process('b', other, 0) },
  good: {
    ...{ ...process('c', one, 1), ...process('d', other, 0) },
    'headgate_permit_duration_seconds_count{instance="d"}': growing(1),
  },
});

/** Only both processes together hold all permits, so both must release none. */
const stuckTogether = stuckInBoth(1, 3);

/** The limit was lowered while both processes held permits; one of them is above it alone. */
const stuckAlone = stuckInBoth(5, 1);

/** Requests of a middleware with several limits wait for one of them, which has another name. */
const ofSeveralLimits = {
  headgate_queued_requests: constant(1),
  'headgate_inflight{headgate_limit_name="reports"}': constant(4),
  'headgate_limit{headgate_limit_name="reports"}': constant(4),
  'headgate_inflight{headgate_limit_name="web"}': constant(4),
  'headgate_limit{headgate_limit_name="web"}': constant(100),
};

const stuckAtOneOfSeveral: AlertScenario = {
  ...stuck,
  bad: ofSeveralLimits,
  good: { ...ofSeveralLimits, headgate_permit_duration_seconds_count: growing(1) },
};

/** By alert. */
export const alertScenarios: Readonly<Record<string, AlertScenario | readonly AlertScenario[]>> = {
  HeadgateRejects: {
    bad: { [requests('admitted')]: growing(1_000), [requests('full')]: growing(20) },
    good: {
      [requests('admitted')]: growing(1_000),
      [requests('full')]: growing(5),
      [requests('withdrawn')]: growing(500),
    },
    notYet: '4m',
    firing: '12m',
  },
  HeadgateSheds: {
    bad: { [requests('admitted')]: growing(10), [requests('overloaded')]: growing(1) },
    good: { [requests('full')]: growing(10), [requests('overloaded')]: constant(7) },
    notYet: '4m',
    firing: '12m',
  },
  HeadgateQueueSlow: {
    bad: { headgate_queue_longest_wait_seconds: constant(1.7) },
    good: { headgate_queue_longest_wait_seconds: '1.5 1.9 1.9 1.9 1.5 1.9 1.9 1.9 1.5+0x60' },
    notYet: '4m',
    firing: '6m',
  },
  HeadgateClientsGiveUp: {
    bad: { [requests('admitted')]: growing(100), [requests('withdrawn')]: growing(2) },
    good: { [requests('admitted')]: growing(1_000), [requests('withdrawn')]: growing(2) },
    notYet: '14m',
    firing: '20m',
  },
  HeadgatePermitsLeaked: {
    bad: { headgate_permits_leaked_total: once },
    good: { headgate_permits_leaked_total: constant(1) },
    notYet: '9m',
    firing: '11m',
  },
  HeadgateStuck: [stuck, stuckTogether, stuckAlone, stuckAtOneOfSeveral],
  HeadgateStoreDown: {
    bad: { headgate_store_up: '1 1 0+0x80' },
    good: { headgate_store_up: '1 0 1+0x80' },
    notYet: '90s',
    firing: '150s',
  },
  HeadgateStoreImpaired: {
    bad: { 'headgate_store_impaired{headgate_reason="muted"}': constant(1) },
    good: { 'headgate_store_impaired{headgate_reason="down"}': constant(1) },
    label: 'headgate_store_name',
    notYet: '4m',
    firing: '6m',
  },
  HeadgatePermitsLost: {
    bad: { headgate_permits_lost_total: once },
    good: { headgate_permits_lost_total: constant(3) },
    notYet: '9m',
    firing: '11m',
  },
  HeadgateLeasesReclaimed: {
    bad: { headgate_leases_reclaimed_total: growing(1) },
    // During one deployment.
    good: { headgate_leases_reclaimed_total: '0+0x9 5+0x70' },
    notYet: '14m',
    firing: '25m',
  },
};

/** Unit tests for promtool. @param rules The path of the rules. */
export function promtoolTests(rules: string): string {
  const all = Object.entries(alertScenarios).flatMap(([alert, scenarios]) =>
    [scenarios].flat().map((scenario) => ({ alert, ...scenario })),
  );
  const tests = all.map(({ alert, ...scenario }) => {
    const { bad, good, label = 'headgate_limit_name', notYet, firing } = scenario;
    const expr = `sum by (${label}) (ALERTS{alertname="${alert}", alertstate="firing"})`;
    const fired = {
      expr,
      eval_time: firing,
      exp_samples: [{ labels: `{${label}="bad"}`, value: 1 }],
    };
    const before = notYet === undefined ? [] : [{ expr, eval_time: notYet }];
    return {
      interval: '30s',
      input_series: [...seriesOf(bad, label, 'bad'), ...seriesOf(good, label, 'good')],
      promql_expr_test: [...before, fired],
    };
  });
  return JSON.stringify({ rule_files: [rules], evaluation_interval: '30s', tests });
}

function seriesOf(all: SeriesOfLimit, label: string, limit: string) {
  return Object.entries(all).map(([series, values]) => {
    const [name = '', labels = ''] = series.replace('}', '').split('{');
    const instance = labels.startsWith('instance=') ? [] : [`instance="${limit}"`];
    const named = labels.startsWith(`${label}=`) ? [] : [`${label}="${limit}"`];
    const own = [...named, ...instance, ...(labels ? [labels] : [])];
    return { series: `${name}{${own.join()}}`, values };
  });
}
