import { adaptive, createGate, createLimiter, type Guard } from '@headgate/core';
import { attributeNames, type Metric, metrics } from '@headgate/core/metrics';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { instrument } from '../src/index.ts';
import { prometheusName } from '../src/names.ts';
import { call, limited, of, outcome, scrape } from './scrape.ts';

describe('instrument()', () => {
  it('counts requests by outcome, from the totals of the statistics', async () => {
    const { clock, register, limiter } = limited();
    const earlier = limiter.tryAcquire();
    instrument(limiter, { register });
    call(limiter);
    call(limiter);
    clock.advance(50);
    limiter.withdraw(call(limiter));
    limiter.reject(call(limiter), 'overloaded');
    earlier?.release();
    limiter.tryAcquire();
    clock.advance(500);
    const values = await scrape(register);
    expect(values).toMatchObject({
      ...{ [outcome('admitted')]: 2, [outcome('full')]: 1, [outcome('timeout')]: 1 },
      ...{ [outcome('overloaded')]: 1, [outcome('withdrawn')]: 1, [outcome('closed')]: 0 },
      [of('permits_leaked_total', 'app')]: 1,
    });
    expect(await scrape(register)).toEqual(values);
  });

  it('shows the present state of a limiter', async () => {
    const { clock, register, limiter } = limited();
    instrument(limiter, { register });
    limiter.setLimit(3);
    limiter.tryAcquire({ weight: 2 });
    limiter.tryAcquire();
    call(limiter);
    clock.advance(20);
    expect(await scrape(register)).toMatchObject({
      [of('limit', 'app')]: 3,
      [of('inflight', 'app')]: 3,
      [of('active_requests', 'app')]: 2,
      [of('queued_requests', 'app')]: 1,
      [of('queue_longest_wait_seconds', 'app')]: 0.02,
    });
  });

  it('records the waits of queued requests by outcome, and the time for which permits are held', async () => {
    const { clock, register, limiter } = limited();
    instrument(limiter, { register });
    const [held, waiting] = [limiter.tryAcquire(), call(limiter)];
    clock.advance(20);
    held?.release();
    call(limiter);
    clock.advance(50);
    waiting.permit?.release();
    const values = await scrape(register);
    const waits = (suffix: string, of: string) =>
      values[
        `headgate_request_time_in_queue_seconds_${suffix}{headgate_limit_name="app",headgate_outcome="${of}"}`
      ];
    expect([waits('count', 'admitted'), waits('sum', 'admitted')]).toEqual([1, 0.02]);
    expect([waits('count', 'timeout'), waits('sum', 'timeout')]).toEqual([1, 0.05]);
    expect(values[of('permit_duration_seconds_count', 'app')]).toBe(2);
    expect(values[of('permit_duration_seconds_sum', 'app')]).toBeCloseTo(0.07);
    const bucket = 'headgate_permit_duration_seconds_bucket{le="0.025",headgate_limit_name="app"}';
    expect(values[bucket]).toBe(1);
  });

  it('reports the same histogram to prom-client as text and as JSON', async () => {
    const { register, limiter } = limited();
    instrument(limiter, { register });
    limiter.tryAcquire()?.release();
    const [metric] = (await register.getMetricsAsJSON()).filter(
      ({ name }) => name === 'headgate_permit_duration_seconds',
    );
    const values = metric?.values as { metricName?: string; labels: object; value: number }[];
    const text = await scrape(register);
    for (const { metricName, labels, value } of values) {
      const shown = Object.entries(labels).map(([name, of]) => `${name}="${of}"`);
      expect(text[`${metricName}{${shown.join()}}`]).toBe(value);
    }
    expect(values).toHaveLength(19);
  });

  it('reports the requests of a gate once, each of its limits, and its guard', async () => {
    const register = new Registry();
    const guard: Guard = {
      name: 'guard',
      admits: (priority) => priority !== 'low',
      stats: () => ({ delay: 30, shedding: 0.5 }),
    };
    const renders = createLimiter({ name: 'renders', limit: 2 });
    const limits = [{ name: 'user', limit: 4, perKey: true }, { limiter: renders }];
    const gate = createGate({ limits, guard });
    instrument([gate, renders], { register });
    const permit = await gate.acquire({ keys: { user: 'ann' } });
    await expect(gate.acquire({ priority: 'low' })).rejects.toThrow('overloaded');
    const values = await scrape(register);
    expect(values).toMatchObject({
      [of('active_requests', 'user+renders')]: 1,
      [of('active_requests', 'renders')]: 1,
      [of('limit', 'user')]: 4,
      [of('limit', 'renders')]: 2,
      [of('inflight', 'renders')]: 1,
      [of('guard_delay_seconds', 'user+renders')]: 0.03,
      [of('guard_shedding_ratio', 'user+renders')]: 0.5,
      'headgate_requests_total{headgate_limit_name="user+renders",headgate_outcome="overloaded"}': 1,
    });
    expect(Object.keys(values).join()).not.toContain('ann');
    permit.release();
  });

  it('counts the rejections of each limit of a gate, which may be instrumented too', async () => {
    const register = new Registry();
    const renders = createLimiter({ name: 'renders', limit: 2 });
    const gate = createGate({
      limits: [{ name: 'user', limit: 1, perKey: true }, { limiter: renders }],
      queueLimit: 0,
    });
    instrument([gate, renders], { register });
    const request = (user: string) => gate.acquire({ keys: { user } });
    await Promise.all(['ann', 'bob'].map(request));
    await expect(request('ann')).rejects.toThrow('limit "user"');
    for (const user of ['eve', 'joe']) await expect(request(user)).rejects.toThrow('"renders"');
    const values = await scrape(register);
    const full = (metric: string, name: string) =>
      values[`headgate_${metric}_total{headgate_limit_name="${name}",headgate_outcome="full"}`];
    expect(full('requests', 'user+renders')).toBe(3);
    expect(full('limit_rejections', 'user')).toBe(1);
    expect(full('limit_rejections', 'renders')).toBe(2);
    expect(full('requests', 'renders')).toBe(2);
    expect(full('requests', 'user')).toBeUndefined();
  });

  it('shows the baseline of an adaptive limit once it is known, and the state of a store', async () => {
    const clock = new VirtualClock();
    const register = new Registry();
    const search = createLimiter({ name: 'search', limit: adaptive(), clock });
    const store = memoryStore({ clock });
    const account = createLimiter({ name: 'account', limit: 1, store, queueLimit: 1, clock });
    instrument([search, account], { register });
    expect(await scrape(register)).not.toHaveProperty([of('adaptive_baseline_seconds', 'search')]);
    for (let count = 0; count < 200; count++) {
      const permit = search.tryAcquire();
      clock.advance(10);
      permit?.release();
    }
    await account.run(() => {});
    const values = await scrape(register);
    expect(values[of('adaptive_baseline_seconds', 'search')]).toBeCloseTo(0.01);
    expect(values).toMatchObject({
      [of('store_up', 'account')]: 1,
      [of('store_round_trip_seconds', 'account')]: 0,
      [of('permits_lost_total', 'account')]: 0,
      [of('leases_reclaimed_total', 'account')]: 0,
    });
    await account.close();
  });

  it('measures each limit once per scrape', async () => {
    const { register, limiter } = limited();
    instrument(limiter, { register });
    const stats = vi.spyOn(limiter, 'stats');
    await register.metrics();
    expect(stats).toHaveBeenCalledTimes(1);
    await register.metrics();
    expect(stats).toHaveBeenCalledTimes(2);
    limiter.tryAcquire();
    const name = prometheusName(metrics.active);
    expect(await register.getSingleMetricAsString(name)).toContain('"app"} 1');
  });

  it('follows the naming of OpenTelemetry for Prometheus', () => {
    const named = (metric: Metric) => prometheusName(metric);
    expect(named(metrics.requests)).toBe('headgate_requests_total');
    expect(named(metrics.timeInQueue)).toBe('headgate_request_time_in_queue_seconds');
    expect(named(metrics.guardShedding)).toBe('headgate_guard_shedding_ratio');
    expect(named(metrics.storeUp)).toBe('headgate_store_up');
    expect(attributeNames).toEqual({
      limit: 'headgate.limit.name',
      outcome: 'headgate.outcome',
      store: 'headgate.store.name',
      reason: 'headgate.reason',
      otherLimit: 'headgate.shadow.limit',
      quantile: 'headgate.quantile',
      bound: 'headgate.inflight.bound',
    });
  });
});
