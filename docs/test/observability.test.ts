import { adaptive, createGate, createLimiter, type Guard } from '@headgate/core';
import { instrument } from '@headgate/prometheus';
import { createServer } from '@headgate/server';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { parser } from '@prometheus-io/lezer-promql';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { alertsFile, type Query, queriesOf, readDashboard, replaced } from './dashboards.ts';
import { read } from './pages.ts';

const dashboards = ['limits', 'semaphores'].map((name) => ({
  name,
  dashboard: readDashboard(name),
}));

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { alert: string; expr: string; for?: string; annotations: object }[];
  }[];
}

const rules = (parse(read(alertsFile)) as Rules).groups.flatMap((group) => group.rules);

/** The metrics and labels that a query selects. @throws if it is not valid. */
function selected(expr: string): { metrics: string[]; labels: string[] } {
  const text = replaced(expr);
  const [metrics, labels]: [string[], string[]] = [[], []];
  parser.parse(text).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) throw new Error(`invalid at ${from}: ${text}`);
      const word = text.slice(from, to);
      const [, either] = /^\{__name__=~"([^"]+)"/.exec(word) ?? [];
      if (name === 'VectorSelector') {
        metrics.push(...(either?.split('|') ?? [/^[\w:]+/.exec(word)?.[0] ?? word]));
      }
      if (name === 'LabelName' && word !== '__name__') labels.push(word);
    },
  });
  return { metrics, labels };
}

/** Names and labels of the series of a scrape. */
function exportedBy(text: string) {
  const series = text.split('\n').filter((line) => /^[a-z]/.test(line));
  return {
    names: new Set(series.map((line) => /^\w+/.exec(line)?.[0] ?? '')),
    labels: new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label as string)),
  };
}

/** Uses limits of every kind, so that every series exists. */
async function everySeries(): Promise<string> {
  const clock = new VirtualClock();
  const register = new Registry();
  const guard: Guard = {
    name: 'guard',
    admits: () => true,
    stats: () => ({ delay: 1, shedding: 0 }),
  };
  const search = createLimiter({ name: 'search', limit: adaptive(), queueLimit: 1, clock });
  const gate = createGate({
    limits: [{ limiter: search }],
    guard,
    name: 'api',
    queueLimit: 1,
    clock,
  });
  const store = memoryStore({ clock });
  const account = createLimiter({
    name: 'account',
    limit: 1,
    store,
    clock,
  });
  const shadow = createLimiter({ name: 'shadow', limit: 1, clock });
  shadow.shadow();
  instrument([gate, account, store, shadow], { register });
  await shadow.run(() => {});
  await account.run(() => {});
  for (let count = 0; count < 100; count++) {
    const permit = await gate.acquire();
    clock.advance(10);
    permit.release();
  }
  const permits = [];
  while (gate.queued === 0) {
    const acquired = gate.acquire();
    if (gate.queued === 0) permits.push(await acquired);
    else void acquired.then((permit) => permit.release());
  }
  for (const permit of permits) permit.release();
  await account.close();
  return register.metrics();
}

async function service(): Promise<string> {
  const server = createServer({ semaphores: { A: 3 } });
  const { url } = await server.listen({ port: 0 });
  const answer = await fetch(`${url}/metrics`);
  const text = await answer.text();
  await server.close();
  return text;
}

let limits: ReturnType<typeof exportedBy>;
let semaphores: ReturnType<typeof exportedBy>;
beforeAll(async () => {
  limits = exportedBy(await everySeries());
  semaphores = exportedBy(await service());
});

/** Which process a series is of, and which service. They are added by Prometheus. */
const added = ['instance', 'pod', 'node', 'job', 'service', 'container', 'endpoint'];

function check({ expr }: Query, exported: ReturnType<typeof exportedBy>): void {
  const { metrics, labels } = selected(expr);
  expect(metrics.length).toBeGreaterThan(0);
  expect(metrics.filter((name) => !exported.names.has(name))).toEqual([]);
  const known = new Set([...exported.labels, ...added]);
  expect(labels.filter((name) => !known.has(name))).toEqual([]);
}

it('the parser finds errors, metrics and labels', () => {
  expect(() => selected('sum by (x (rate(y[5m]))')).toThrow('invalid');
  expect(selected('sum by (x) (rate(y{z="1"}[5m])) / w')).toEqual({
    ...{ metrics: ['y', 'w'], labels: ['x', 'z'] },
  });
});

describe.each(dashboards)('the dashboard $name', ({ name, dashboard }) => {
  const { panels, templating } = dashboard;

  it.each(queriesOf(dashboard))('selects exported series: $title: $expr', (query) =>
    check(query, name === 'limits' ? limits : semaphores),
  );

  it('asks for its data source when it is imported, and uses it everywhere', () => {
    expect(dashboard.__inputs).toMatchObject([{ name: 'DS_PROMETHEUS', pluginId: 'prometheus' }]);
    expect(templating.list[0]).toMatchObject({ name: 'datasource', query: 'prometheus' });
    const sources = panels.flatMap((panel) => [
      panel.datasource,
      ...panel.targets.map((one) => one.datasource),
    ]);
    expect(sources.filter(({ uid }) => !/^\$\{datasource\}$/.test(uid))).toEqual([]);
  });

  it('lets the user select services, processes and names, each by a label that exists', () => {
    const [, ...variables] = templating.list;
    const own = name === 'limits' ? 'headgate_limit_name' : 'semaphore';
    expect(variables.map((each) => each.name)).toEqual(['job', 'instance', own]);
    for (const { name: label, definition = '' } of variables) {
      const [, expr = ''] = new RegExp(`^label_values\\((.+), ${label}\\)$`).exec(definition) ?? [];
      check({ title: label, expr }, name === 'limits' ? limits : semaphores);
    }
  });

  it.each(queriesOf(dashboard))(
    'keeps services apart and applies the selection: $title: $expr',
    ({ expr }) => {
      // A heatmap can only show all selected limits together.
      expect(expr.replace(/^sum by \(le\) \(increase/, '')).not.toMatch(/\bby \(/);
      const selectors = expr.match(/\b(headgate|throttle)_\w+\{[^}]*/g) ?? [];
      expect(selectors.length).toBeGreaterThan(0);
      for (const each of selectors) {
        expect(each).toContain('job=~"$job"');
        expect(each).toContain('instance=~"$instance"');
      }
    },
  );

  it('has panels with different ids that do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [index, { gridPos: one }] of panels.entries()) {
      expect(one.x + one.w).toBeLessThanOrEqual(24);
      for (const { gridPos: other } of panels.slice(index + 1)) {
        const apart = other.x >= one.x + one.w || one.x >= other.x + other.w;
        expect(apart || other.y >= one.y + one.h || one.y >= other.y + other.h).toBe(true);
      }
    }
  });
});

const shownQueries = [...read('docs/metrics.md').matchAll(/^```promql\n(.*?)\n```$/gms)].flatMap(
  ([, block = '']) => block.split('\n\n'),
);

it('the queries of docs/metrics.md select exported series', () => {
  expect(shownQueries.length).toBeGreaterThan(0);
  for (const expr of shownQueries) check({ title: expr, expr }, limits);
});

describe('the alert rules', () => {
  it.each(rules.map(({ alert: title, expr }) => ({ title, expr })))(
    'select exported series: $title',
    (query) => check(query, limits),
  );

  it('are described, each once, in docs/metrics.md', () => {
    const page = read('docs/metrics.md');
    for (const { alert, annotations } of rules) {
      expect(page.split(`| \`${alert}\` |`)).toHaveLength(2);
      expect(Object.keys(annotations).sort()).toEqual(['description', 'summary']);
    }
  });

  it('have the expressions that docs/metrics.md shows', () => {
    const shown = shownQueries.filter((query) => query.startsWith('# Headgate'));
    expect(shown.length).toBeGreaterThan(3);
    for (const query of shown) {
      const [, alert, duration] = /^# (\w+)(?:, for (\w+))?\n/.exec(query) ?? [];
      const rule = rules.find((each) => each.alert === alert);
      expect(rule?.for).toBe(duration);
      expect(query.replace(/^#.*\n/, '').trim()).toBe(rule?.expr.trim());
    }
  });
});
