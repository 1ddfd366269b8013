/**
 * Series of a limit as promtool reads them, one value every 30 s: `0+30x60` starts at 0 and grows by 30, 60 times. Those
 * without a label `instance` are of one process, and those without a label `job` of one service.
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
const wouldReject = (outcome: string) =>
  `headgate_shadow_rejections_total{headgate_outcome="${outcome}"}`;
const requests = (outcome: string) => `headgate_requests_total{headgate_outcome="${outcome}"}`;

/** A process with a distributed limit of four: the weight that it holds, and its waiters. */
const process = (labels: string, inflight: number, queued: number) => ({
  [`headgate_store_up{${labels}}`]: constant(1),
  [`headgate_limit{${labels}}`]: constant(4),
  [`headgate_inflight{${labels}}`]: constant(inflight),
  [`headgate_queued_requests{${labels}}`]: constant(queued),
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
  bad: { ...process('instance="a"', one, 1), ...process('instance="b"', other, 0) },
  good: {
    ...{ ...process('instance="c"', one, 1), ...process('instance="d"', other, 0) },
    'headgate_permit_duration_seconds_count{instance="d"}': growing(1),
  },
});

/** Only both processes together hold all permits, so both must release none. */
const stuckTogether = stuckInBoth(1, 3);

/** The limit was lowered while both processes held permits; one of them is above it alone. */
const stuckAlone = stuckInBoth(5, 1);

/** Two services hold all permits of a distributed limit together. */
const [web, worker] = ['job="web",instance="a"', 'job="worker",instance="b"'] as const;
const stuckInServices: AlertScenario = {
  ...stuck,
  bad: { ...process(web, 1, 1), ...process(worker, 3, 0) },
  good: {
    ...{ ...process(web, 1, 1), ...process(worker, 3, 0) },
    [`headgate_permit_duration_seconds_count{${worker}}`]: growing(1),
  },
};

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

const ofProcess = (instance: string, outcome: string) =>
  `headgate_requests_total{instance="${instance}",headgate_outcome="${outcome}"}`;

/** One process of a service rejects everything that it gets, the other nothing. */
const rejects: AlertScenario = {
  bad: { [ofProcess('a', 'admitted')]: growing(1_000), [ofProcess('b', 'full')]: growing(20) },
  good: { [ofProcess('a', 'admitted')]: growing(1_000), [ofProcess('b', 'full')]: growing(5) },
  notYet: '4m',
  firing: '12m',
};

/** By alert. */
export const alertScenarios: Readonly<Record<string, AlertScenario | readonly AlertScenario[]>> = {
  HeadgateRejects: [
    rejects,
    {
      ...rejects,
      good: {
        [requests('admitted')]: growing(1_000),
        [requests('full')]: growing(5),
        [requests('withdrawn')]: growing(500),
      },
    },
  ],
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
  HeadgateWouldReject: {
    bad: { [requests('admitted')]: growing(1_000), [wouldReject('full')]: growing(20) },
    good: { [requests('admitted')]: growing(1_000), [wouldReject('full')]: growing(5) },
    notYet: '14m',
    firing: '20m',
  },
  HeadgateStuck: [stuck, stuckTogether, stuckAlone, stuckInServices, stuckAtOneOfSeveral],
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
  const tests = Object.entries(alertScenarios).flatMap(([alert, scenarios]) =>
    [scenarios].flat().flatMap((scenario) => testsOf(alert, scenario)),
  );
  return JSON.stringify({ rule_files: [rules], evaluation_interval: '30s', tests });
}

/** Two limits of one service, then limits of one name in two services and in two namespaces. */
function testsOf(alert: string, { label = 'headgate_limit_name', ...scenario }: AlertScenario) {
  const { bad, good, notYet, firing } = scenario;
  const hasServices = Object.keys(bad).some((series) => series.includes('job='));
  return [label, ...(hasServices ? [] : ['job']), 'namespace'].map((differing) => {
    const defaults = { [label]: 'default', job: 'app', namespace: 'shop', instance: 'a' };
    const seriesOf = (all: SeriesOfLimit, value: string) => {
      // Services may run at the same address in different networks.
      const own = differing === label ? { instance: value } : {};
      return seriesWith({ ...defaults, ...own, [differing]: value }, all);
    };
    const expr = `sum by (${differing}) (ALERTS{alertname="${alert}", alertstate="firing"})`;
    const exp_samples = [{ labels: `{${differing}="bad"}`, value: 1 }];
    return {
      interval: '30s',
      input_series: [...seriesOf(bad, 'bad'), ...seriesOf(good, 'good')],
      promql_expr_test: [
        ...(notYet === undefined ? [] : [{ expr, eval_time: notYet }]),
        { expr, eval_time: firing, exp_samples },
      ],
    };
  });
}

/** Adds the labels that a series does not have itself. */
function seriesWith(labels: Readonly<Record<string, string>>, all: SeriesOfLimit) {
  return Object.entries(all).map(([series, values]) => {
    const [name = '', own = ''] = series.replace('}', '').split('{');
    const added = Object.entries(labels).filter(([label]) => !`,${own}`.includes(`,${label}=`));
    const written = added.map(([label, value]) => `${label}="${value}"`);
    return { series: `${name}{${[...written, ...(own ? [own] : [])].join()}}`, values };
  });
}
