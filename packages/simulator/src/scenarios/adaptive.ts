import { adaptive, type LimitFactory } from '@headgate/core';
import { arrive, burst } from '../arrivals.ts';
import type { Plot, Point } from '../plot/plot.ts';
import { exponential } from '../random-times.ts';
import { figure, type Scenario } from '../scenario.ts';
import { Server, type Work } from '../server.ts';
import { Counter, Gauge, meanBetween, watch } from '../watch.ts';

/** How much the dependency does at once as fast as one, and while it is ill. */
const capacity = 10;
const ill = capacity / 3;

/** When the load or the dependency changes, in minutes. */
const at = { ill: 5, well: 10, mixed: 15, quiet: 20, over: 25 };

const usual: Work = { kind: '100 ms', times: exponential(100) };
const quick: Work = { kind: '1 ms', times: exponential(1) };
const slow: Work = { kind: '1 s', times: exponential(1000) };

/** What comes, from when to when, in minutes, and so often a second. */
const loads = [
  { work: usual, perSecond: 80, from: 0, to: at.mixed },
  { work: quick, perSecond: 2000, from: at.mixed, to: at.quiet },
  { work: slow, perSecond: 5, from: at.mixed, to: at.quiet },
  { work: usual, perSecond: 1, from: at.quiet, to: at.over },
];

/** Turns hardly anybody away on a good day. */
const fixed = 30;

const minute = 60_000;
const seconds = (minutes: number) => minutes * 60;

/** @param end In minutes. */
function observe(limit: number | LimitFactory, end: number) {
  const server = new Server(capacity, { limit });
  const { simulation, limiter, dependency } = server;
  const times = new Map([usual, quick, slow].map((work) => [work, new Gauge(simulation, 10_000)]));
  const answered = new Counter(simulation, 10_000);
  for (const { work, perSecond, from, to } of loads) {
    arrive(simulation, burst(0, { from: seconds(from), to: seconds(to), perSecond }), () => {
      const begun = simulation.now();
      server.request(work, ({ succeeded }) => {
        if (!succeeded) return;
        answered.count++;
        times.get(work)?.note(simulation.now() - begun);
      });
    });
  }
  simulation.setTimeout(() => dependency.change(ill), at.ill * minute);
  simulation.setTimeout(() => dependency.change(capacity), at.well * minute);
  const limits = watch(simulation, 5000, () => limiter.limit);
  const inflight = watch(simulation, 5000, () => limiter.inflight);
  simulation.run(end * minute);
  return {
    limits,
    inflight,
    answered: answered.perSecond,
    timeOf: (work: Work) => times.get(work)?.means ?? [],
  };
}

/** Over a few minutes, the first left out. */
const meanIn = (points: readonly Point[], from: number, to: number) =>
  meanBetween(points, seconds(from + 1), seconds(to));

function figuresOf(adapted: ReturnType<typeof observe>, stiff: ReturnType<typeof observe>) {
  const { limits, timeOf } = adapted;
  const whileIll = (points: readonly Point[]) => meanIn(points, at.ill, at.well);
  const whileMixed = (points: readonly Point[]) => meanIn(points, at.mixed, at.quiet);
  return [
    figure('limit at normal latency', meanIn(limits, 0, at.ill), [15, 35]),
    figure('limit during the slowdown', whileIll(limits), [3, 12]),
    figure('limit after the slowdown', meanIn(limits, at.well, at.mixed), [15, 35]),
    figure('ms for 100 ms of work, normally', meanIn(timeOf(usual), 0, at.ill), [100, 140]),
    figure('the same during the slowdown', whileIll(timeOf(usual)), [120, 300]),
    figure(`under a fixed limit of ${fixed}`, whileIll(stiff.timeOf(usual)), [700, 1000]),
    figure('answered per second meanwhile, of 33', whileIll(adapted.answered), [30, 35]),
    figure('ms for 1 ms of work amid work of 1 s', whileMixed(timeOf(quick)), [1, 1.5]),
    figure('ms for that work of 1 s', whileMixed(timeOf(slow)), [900, 1400]),
    figure('limit at one request a second', meanIn(limits, at.quiet, at.over), [15, 40]),
  ];
}

export const scenario: Scenario = {
  id: 'adaptive',
  name: 'An adaptive limit while the load and the dependency change: the limit, and the time of admitted work',
  run() {
    const adapted = observe(adaptive(), at.over);
    const stiff = observe(fixed, at.mixed);
    return { figures: figuresOf(adapted, stiff), plot: plotOf(adapted, stiff) };
  },
};

function plotOf(adapted: ReturnType<typeof observe>, stiff: ReturnType<typeof observe>): Plot {
  const { limits, inflight, timeOf } = adapted;
  const phase = (from: number, to: number, label: string) => ({
    ...{ from: seconds(from), to: seconds(to), label },
  });
  return {
    title: 'An adaptive limit while the load and the dependency change',
    subtitle:
      'The dependency does 10 things at once as fast as one; 80 requests of 100 ms come each second.',
    unit: 'minutes',
    phases: [
      phase(at.ill, at.well, 'it does 3.3 at once'),
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
          [`the same, limit ${fixed}`]: stiff.timeOf(usual),
          '1 ms': timeOf(quick),
          '1 s': timeOf(slow),
        },
      },
    ],
  };
}
