import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { instrument } from '@headgate/opentelemetry';
import { instrument as instrumentPrometheus } from '@headgate/prometheus';
import { createServer } from '@headgate/server';
import { Memory } from '@headgate/store-kit/memory-store';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { type PrometheusServer, promtool, startPrometheus } from '@headgate/test-servers';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { alertScenarios, promtoolTests } from './alert-scenarios.ts';
import { alertsFile, queriesOf, readDashboard, replaced } from './dashboards.ts';
import { ObservedApp, serve, sharedLimit } from './observed-app.ts';
import { read, root } from './pages.ts';

const exporters = ['prom-client', 'opentelemetry'];
const service = createServer({ semaphores: { A: 3 } });
const published = read(alertsFile);
const stops: (() => unknown)[] = [];
let prometheus: PrometheusServer;

async function serveRegistry(app: ObservedApp): Promise<number> {
  const register = new Registry();
  stops.push(instrumentPrometheus(app.limits, { register }));
  const { server, port } = await serve(async (_req, res) => {
    res.setHeader('Content-Type', register.contentType).end(await register.metrics());
  });
  stops.push(() => server.close());
  return port;
}

async function serveMeter(app: ObservedApp): Promise<number> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  stops.push(instrument(app.limits, { meter: provider.getMeter('app') }));
  const { server, port } = await serve((req, res) => exporter.getMetricsRequestHandler(req, res));
  stops.push(() => server.close());
  return port;
}

/** Two apps whose store has failed, and a Prometheus that scrapes them. */
async function start(): Promise<ObservedApp[]> {
  const stores = exporters.map((name) => `${name} orders`);
  const store = createServer({ semaphores: Object.fromEntries(stores.map((name) => [name, 3])) });
  const { url: storeUrl } = await store.listen({ port: 0 });
  const memory = new Memory();
  const apps = exporters.map((name) => new ObservedApp(name, memory, storeUrl));
  stops.push(() => Promise.all(apps.map((app) => app.close())));
  const [one, other] = apps as [ObservedApp, ObservedApp];
  const { url } = await service.listen({ port: 0 });
  stops.push(() => service.close());
  const relabeling = parse(read('docs/observability/opentelemetry-exporter.yml'));
  prometheus = await startPrometheus({
    targets: [
      { job: 'app', port: await serveRegistry(one) },
      {
        ...{ job: 'app', port: await serveMeter(other) },
        // The processes of a service have one exporter, and all of them this label or none.
        relabel: [...relabeling.metric_relabel_configs, { action: 'labeldrop', regex: 'otel_.+' }],
      },
      { port: Number(new URL(url).port) },
    ],
    // The expressions are those that are published; only their time until they fire is shorter.
    rules: published.replace(/for: \d+m/g, 'for: 1s'),
  });
  stops.push(() => prometheus.stop());
  await Promise.all(apps.map((app) => app.start()));
  await store.close();
  return apps;
}

/** The alerts of each app, as `name: app`. */
async function firing(): Promise<string[]> {
  const all = await prometheus.firing();
  const shown = all.map(({ alertname, headgate_limit_name: limit, headgate_store_name: store }) => {
    return `${alertname}: ${(limit ?? store)?.split(' ')[0]}`;
  });
  return [...new Set(shown)].sort();
}

const alerts = [...published.matchAll(/alert: (\w+)/g)].map(([, name]) => name as string);
const expected = alerts.flatMap((name) => exporters.map((exporter) => `${name}: ${exporter}`));

beforeAll(async () => {
  const apps = await start();
  // Each alert is about something that happens between two scrapes, and that lasts for a second.
  const drive = async () => {
    await Promise.all(apps.map((app) => app.work()));
    expect(await firing()).toEqual(expect.arrayContaining(expected));
  };
  await vi.waitFor(drive, { timeout: 45_000, interval: 250 });
}, 90_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

it('Prometheus fires each alert for an app with either exporter, and none for a limit without a problem', async () => {
  expect(await firing()).toEqual([...expected].sort());
});

describe.each([
  ...exporters.map((exporter) => ({ name: 'limits', selected: `${exporter} .*` })),
  { name: 'semaphores', selected: 'A' },
])('the dashboard $name of $selected', ({ name, selected }) => {
  it.each(queriesOf(readDashboard(name)))('shows values: $title: $expr', async ({ expr }) => {
    const series = await prometheus.query(replaced(expr, selected));
    expect(series.filter(({ value }) => Number.isFinite(value))).not.toEqual([]);
  });
});

const scaled = parse(read('docs/observability/keda.yml'));
const [adapter, autoscaler] = parseAllDocuments(read('docs/observability/hpa.yml')).map(
  (document) => document.toJS(),
);

it.each<[string, string]>([
  ['KEDA', scaled.spec.triggers[0].metadata.query],
  ['a HorizontalPodAutoscaler', adapter.rules.external[0].metricsQuery],
])('%s scales by requests in flight and in the queue, in parts of the limit', async (_, query) => {
  const [{ value } = { value: 0 }] = await prometheus.query(
    query.replaceAll('"default"', '"prom-client stuck"'),
  );
  // One request holds the only permit, and another one is queued.
  expect(value).toBe(2);
});

it('the HorizontalPodAutoscaler reads the metric that prometheus-adapter provides', () => {
  const { metric } = autoscaler.spec.metrics[0].external;
  expect(metric.name).toBe(adapter.rules.external[0].name.as);
});

it('rates are only calculated of counters, whose names Prometheus recognizes', async () => {
  const types = await prometheus.types();
  const queries = ['limits', 'semaphores'].flatMap((name) => queriesOf(readDashboard(name)));
  const text = [...queries.map(({ expr }) => expr), published].join('\n');
  const rated = [...text.matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, name]) => name as string);
  expect(rated.length).toBeGreaterThan(10);
  for (const name of rated) {
    expect(name).toMatch(/_(total|count|bucket)$/);
    const type = types.get(name) ?? types.get(name.replace(/_[a-z]+$/, ''));
    expect(['counter', 'histogram'], name).toContain(type);
  }
});

it('the dashboard shows a distributed limit once, however many processes use it', async () => {
  const queries = queriesOf(readDashboard('limits'));
  const values = async (named: string) => {
    const { expr = '' } = queries.findLast(({ title }) => title === named) ?? {};
    return (await prometheus.query(replaced(expr, sharedLimit.name))).map(({ value }) => value);
  };
  expect(await values('In flight and limit')).toEqual([sharedLimit.limit]);
  // Each of the two processes holds one permit.
  expect(await values('Saturation')).toEqual([exporters.length / sharedLimit.limit]);
});

describe('promtool', () => {
  it('finds no error in the alert rules', async () => {
    const output = await promtool(
      'check',
      'rules',
      '--lint=all',
      '--lint-fatal',
      join(root, alertsFile),
    );
    expect(output).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it('fires each alert when it should, and only then', async () => {
    expect(Object.keys(alertScenarios)).toEqual(alerts);
    const file = join(temporaryFolder(), 'tests.yml');
    await writeFile(file, promtoolTests(join(root, alertsFile)));
    expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
  }, 90_000);
});
