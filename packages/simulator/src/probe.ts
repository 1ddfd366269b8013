import { adaptive, aimd, createLimiter, gradient, type LimitFactory, vegas } from '@headgate/core';
import { arrive } from './arrivals.ts';
import { Dependency } from './dependency.ts';
import { constant, exponential, lognormal, type Times } from './random-times.ts';
import { Simulation } from './simulation.ts';

function go(
  name: string,
  limit: LimitFactory | number,
  o: {
    rate: number | ((n: number) => number);
    capacity: number;
    times: Times;
    end: number;
    at?: (sim: Simulation, dep: Dependency) => void;
    queue?: number;
    report?: number[];
  },
) {
  const sim = new Simulation(7);
  const dep = new Dependency(sim, o.capacity);
  const limiter = createLimiter({
    limit,
    queueLimit: o.queue ?? 0,
    queueTimeout: 1000,
    clock: sim,
    random: sim.random,
  });
  let done = 0,
    rtt = 0,
    n = 0;
  arrive(sim, o.rate, () => {
    void (async () => {})();
    const w = limiter.tryAcquire();
    if (!w) return;
    const t0 = sim.now();
    dep.serve(o.times(sim.random), () => {
      done++;
      rtt += sim.now() - t0;
      n++;
      w.release();
    });
  });
  o.at?.(sim, dep);
  const out: string[] = [];
  let last = 0;
  for (const t of o.report ??
    [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 2400, 3600].filter((x) => x <= o.end)) {
    sim.run(t * 1000);
    out.push(`${t}s:${limiter.limit}(${done - last}d,${(rtt / Math.max(1, n)).toFixed(0)}ms)`);
    last = done;
    rtt = 0;
    n = 0;
  }
  console.log(name.padEnd(18), out.join(' '));
}
const algos: [string, LimitFactory][] = [
  ['adaptive', adaptive()],
  ['vegas', vegas()],
  ['gradient', gradient()],
  ['aimd', aimd()],
];
const only = process.argv[2];
for (const [name, l] of algos) {
  if (only && name !== only) continue;
  console.log('— knee 10, 100 ms exp, overload 3x (300/s; capacity 100/s)');
  go(name, l, { rate: 300, capacity: 10, times: exponential(100), end: 3600 });
  console.log('— same constant');
  go(name, l, { rate: 300, capacity: 10, times: constant(100), end: 600 });
  console.log('— knee 100, 20 ms lognormal, load 10x (50000/s) ');
  go(name, l, { rate: 50000, capacity: 100, times: lognormal(20, 0.5), end: 60 });
  console.log('— 0.7 load knee 10');
  go(name, l, { rate: 70, capacity: 10, times: exponential(100), end: 600 });
  console.log('— 1 rps overload: 10 s work, knee 5 (cap .5/s), 2/s');
  go(name, l, { rate: 2, capacity: 5, times: exponential(10000), end: 3600 });
  console.log('— dependency 10x slower from 120s to 1200s, load .8 ');
  go(name, l, {
    rate: 80,
    capacity: 10,
    times: exponential(100),
    end: 2400,
    at: (s, d) => {
      s.setTimeout(() => d.change(10, 10), 120_000);
      s.setTimeout(() => d.change(10, 1), 1_200_000);
    },
  });
  console.log('— capacity drops 10 → 3 at 120, back at 600, load .8');
  go(name, l, {
    rate: 80,
    capacity: 10,
    times: exponential(100),
    end: 2400,
    at: (s, d) => {
      s.setTimeout(() => d.change(3), 120_000);
      s.setTimeout(() => d.change(10), 600_000);
    },
  });
}
