import { call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createGate, createLimiter, type LocalLimiter, loadReport } from '../src/index.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const fieldsOf = (report: string) =>
  Object.fromEntries(
    [...report.matchAll(/(\w+)=([\d.]+)/g)].map(([, name, value]) => [name, Number(value)]),
  );

/** Reports until the averages no longer change. */
function settled(report: () => string, each = () => {}): string {
  for (let count = 0; count < 30; count++) {
    each();
    vi.advanceTimersByTime(500);
    report();
  }
  return report();
}

it('reports utilization, admitted and rejected requests per second as text', () => {
  const limiter = createLimiter({ limit: 4, queueLimit: 1 });
  const report = loadReport(limiter);
  expect(report()).toBe('TEXT application_utilization=0.000,rps_fractional=0.000,eps=0.000');
  const permits = Array.from({ length: 3 }, () => limiter.tryAcquire());
  expect(permits).not.toContain(undefined);
  const each = () => {
    limiter.tryAcquire()?.release();
    limiter.tryAcquire()?.release();
  };
  const { application_utilization, rps_fractional, eps } = fieldsOf(settled(report, each));
  expect(application_utilization).toBeCloseTo(0.75, 2);
  expect(rps_fractional).toBeCloseTo(4, 2);
  expect(eps).toBe(0);
});

it('counts queued requests as utilization, and rejected ones as errors', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: 60_000 });
  limiter.tryAcquire();
  call(limiter);
  const report = settled(loadReport(limiter), () => void call(limiter));
  expect(fieldsOf(report)).toMatchObject({ application_utilization: 2, rps_fractional: 0 });
  expect(fieldsOf(report).eps).toBeCloseTo(2, 2);
});

it('forgets an overload in seconds, even if nothing is reported meanwhile', () => {
  const limiter = createLimiter({ limit: 1 });
  const permit = limiter.tryAcquire();
  const report = loadReport(limiter);
  expect(fieldsOf(settled(report)).application_utilization).toBe(1);
  permit?.release();
  vi.advanceTimersByTime(10_000);
  expect(fieldsOf(report()).application_utilization).toBeLessThan(0.01);
});

it('reports the fullest limit of a gate, without limits per key', async () => {
  const gate = createGate({
    limits: [
      { name: 'user', limit: 1, perKey: true },
      { name: 'exports', limit: 2, optional: true },
      { name: 'app', limit: 100 },
    ],
  });
  await gate.acquire({ keys: { user: 'a' }, weights: { exports: 1 } });
  expect(loadReport(gate)()).toContain('application_utilization=0.500');
});

/** How a balancer chooses a server; it may read the reports of the last second. */
type Policy = (servers: readonly Server[], random: () => number) => Server;

interface Server {
  readonly limiter: LocalLimiter;
  readonly report: () => string;
  weight: number;
  /** What the smooth weighted round robin owes it. */
  credit: number;
  pending: number;
}

/** The one of two random servers that has fewer requests pending, as in Envoy. */
const leastRequest: Policy = (servers, random) => {
  const pick = () => servers[Math.floor(random() * servers.length)] as Server;
  const [one, other] = [pick(), pick()];
  return one.pending <= other.pending ? one : other;
};

const weighted: Policy = (servers) => {
  for (const server of servers) server.credit += server.weight;
  const next = servers.reduce((best, server) => (server.credit > best.credit ? server : best));
  next.credit -= servers.reduce((sum, { weight }) => sum + weight, 0);
  return next;
};

/** The weights of Envoy's client_side_weighted_round_robin, with its default penalty of errors. */
function weigh(servers: readonly Server[]): void {
  for (const server of servers) {
    const { application_utilization = 0, rps_fractional = 0, eps = 0 } = fieldsOf(server.report());
    const load = application_utilization + eps / Math.max(rps_fractional, 0.001);
    if (rps_fractional > 0) server.weight = rps_fractional / Math.max(load, 0.01);
  }
  const highest = Math.max(...servers.map(({ weight }) => weight));
  for (const server of servers) server.weight = Math.max(server.weight, highest / 100);
}

/** The part of the requests that four servers answer, one of which has a limit of 1 and no queue. */
function answeredBy(policy: Policy): number {
  const random = lcg(1);
  const servers = [1, 10, 10, 10].map((limit): Server => {
    const limiter = createLimiter({ limit, queueLimit: limit - 1 });
    return { limiter, report: loadReport(limiter), weight: 1, credit: 0, pending: 0 };
  });
  const counts = { sent: 0, answered: 0 };
  const send = (isCounted: boolean) => {
    const server = policy(servers, random);
    server.pending++;
    if (isCounted) counts.sent++;
    const finish = (isAnswered: boolean) => {
      server.pending--;
      if (isCounted && isAnswered) counts.answered++;
    };
    call(server.limiter, {
      onRejected: () => setTimeout(() => finish(false), 1),
      onGranted: (permit) => {
        setTimeout(() => {
          permit.release();
          finish(true);
        }, 35);
      },
    });
  };
  for (let now = 0; now < 30_000; now += 2) {
    // 500 per second. The other three can do 857.
    send(now >= 10_000);
    vi.advanceTimersByTime(2);
    if (now % 500 === 0) for (const { report } of servers) report();
    if (now % 1000 === 0) weigh(servers);
  }
  return counts.answered / counts.sent;
}

it('a server that rejects gets less traffic from its reports, and more from least request', () => {
  expect(answeredBy(weighted)).toBeGreaterThan(0.97);
  expect(answeredBy(leastRequest)).toBeLessThan(0.75);
});
