import { adaptive, type LimitFactory } from '@headgate/core';
import { arrive, burst } from '../arrivals.ts';
import { exponential } from '../distributions.ts';
import type { Point } from '../plot/panel.ts';
import type { Plot } from '../plot/plot.ts';
import { figure, type Scenario } from '../scenario.ts';
import { Server, type Work } from '../server.ts';
import { Counter, Gauge, meanBetween, watch } from '../watch.ts';

/** The number of jobs that the dependency handles at once without slowing down, usually and while it is degraded. */
const capacity = 10;
const degraded = capacity / 3;

/** When the load or the dependency changes, in minutes. */
const at = { degraded: 5, recovered: 10, mixed: 15, quiet: 20, over: 25 };

const usual: Work = { kind: '100 ms', serviceTime: exponential(100) };
const quick: Work = { kind: '1 ms', serviceTime: exponential(1) };
const slow: Work = { kind: '1 s', serviceTime: exponential(1000) };

/** The load: requests per second, and its begin and end in minutes. */
const loads = [
  { work: usual, perSecond: 80, from: 0, to: at.mixed },
  { work: quick, perSecond: 2000, from: at.mixed, to: at.quiet },
  { work: slow, perSecond: 5, from: at.mixed, to: at.quiet },
  { work: usual, perSecond: 1, from: at.quiet, to: at.over },
];

/** A fixed limit for comparison. It rarely rejects a request under the usual load. */
const fixed = 30;

const minute = 60_000;
const seconds = (minutes: number) => minutes * 60;

/**
 * Runs the load.
 *
 * @param end In minutes.
 */
function observe(limit: number | LimitFactory, end: number) {
  const server = new Server(capacity, { limit });
  const { simulation, limiter, dependency } = server;
  const times = new Map([usual, quick, slow].map((work) => [work, new Gauge(simulation, 10_000)]));
  const answered = new Counter(simulation, 10_000);
  for (const { work, perSecond, from, to } of loads) {
    arrive(simulation, burst(0, { from: seconds(from), to: seconds(to), perSecond }), () => {
      const start = simulation.now();
      server.request(work, ({ succeeded }) => {
        if (!succeeded) return;
        answered.count++;
        times.get(work)?.note(simulation.now() - start);
      });
    });
  }
  simulation.setTimeout(() => dependency.change(degraded), at.degraded * minute);
  simulation.setTimeout(() => dependency.change(capacity), at.recovered * minute);
  const limits = watch(simulation, 5000, () => limiter.limit);
  const inflight = watch(simulation, 5000, () => limiter.inflight);
  simulation.runUntil(end * minute);
  return {
    limits,
    inflight,
    answered: answered.perSecond,
    timeOf: (work: Work) => times.get(work)?.means ?? [],
  };
}

/** The mean over some minutes, excluding the first. */
const meanIn = (points: readonly Point[], from: number, to: number) =>
  meanBetween(points, seconds(from + 1), seconds(to));

function figuresOf(adapted: ReturnType<typeof observe>, constant: ReturnType<typeof observe>) {
  const { limits, timeOf } = adapted;
  const whileDegraded = (points: readonly Point[]) => meanIn(points, at.degraded, at.recovered);
  const whileMixed = (points: readonly Point[]) => meanIn(points, at.mixed, at.quiet);
  return [
    figure('limit at normal latency', meanIn(limits, 0, at.degraded), [15, 45]),
    figure('limit during the slowdown', whileDegraded(limits), [3, 12]),
    figure('limit after the slowdown', meanIn(limits, at.recovered, at.mixed), [15, 35]),
    figure('ms for 100 ms of work, normally', meanIn(timeOf(usual), 0, at.degraded), [100, 140]),
    figure('the same during the slowdown', whileDegraded(timeOf(usual)), [120, 300]),
    figure(`under a fixed limit of ${fixed}`, whileDegraded(constant.timeOf(usual)), [700, 1000]),
    figure('answered per second meanwhile, of 33', whileDegraded(adapted.answered), [30, 35]),
    figure('ms for 1 ms of work mixed with work of 1 s', whileMixed(timeOf(quick)), [1, 1.5]),
    figure('ms for that work of 1 s', whileMixed(timeOf(slow)), [900, 1400]),
    figure('limit at one request a second', meanIn(limits, at.quiet, at.over), [15, 40]),
  ];
}

export const scenario: Scenario = {
  id: 'adaptive',
  name: 'An adaptive limit while the load and the dependency change: the limit, and the time of admitted work',
  run() {
    const adapted = observe(adaptive(), at.over);
    const constant = observe(fixed, at.mixed);
    return { figures: figuresOf(adapted, constant), plot: plotOf(adapted, constant) };
  },
};

function plotOf(adapted: ReturnType<typeof observe>, constant: ReturnType<typeof observe>): Plot {
  const { limits, inflight, timeOf } = adapted;
  const phase = (from: number, to: number, label: string) => ({
    from: seconds(from),
    to: seconds(to),
    label,
  });
  return {
    title: 'An adaptive limit while the load and the dependency change',
    subtitle:
      'The dependency handles 10 jobs at once without slowing down; 80 requests of 100 ms arrive per second.',
    unit: 'minutes',
    phases: [
      phase(at.degraded, at.recovered, 'capacity 3.3'),
      phase(at.mixed, at.quiet, '2,000/s of 1 ms, 5/s of 1 s'),
      phase(at.quiet, at.over, '1/s of 100 ms'),
    ],
    panels: [
      { title: 'adaptive()', lines: { limit: limits, 'in flight': inflight } },
      {
        title: 'time of work, ms',
        logarithmic: true,
        lines: {
          '100 ms of work': timeOf(usual),
          [`the same, limit ${fixed}`]: constant.timeOf(usual),
          '1 ms': timeOf(quick),
          '1 s': timeOf(slow),
        },
      },
    ],
  };
}
