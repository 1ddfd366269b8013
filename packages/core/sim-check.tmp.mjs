import { workload, grid, traffic, simulate, rng } from '/work/shared/prototypes/try/sim.mjs';
import { MeasuredCapacity } from '/work/wt/cli/packages/core/src/shadow/measured-capacity.ts';
const from = +process.argv[2] || 0, n = +process.argv[3] || 20;
let ok=0, sat=0, calmOk=0, calmN=0;
for (let seed = from; seed < from+n; seed++) {
  const w = workload(seed); const g = grid(w);
  for (const peak of [2, 0]) {
    const arrivals = traffic(w, g.max, { base: peak?0.5:0.4, peak, seed });
    const log = simulate(w, arrivals, { patience: 10_000, seed }).filter(e=>e.status===200).sort((a,b)=>a.end-b.end);
    const m = new MeasuredCapacity(); for (const e of log) m.add(e.end, e.end-e.at);
    const r = m.limit;
    const right = r.limit >= g.lo/1.5 && r.limit <= g.hi*1.5;
    if (r.isSaturated) { sat++; if (right) ok++; } else { calmN++; if (r.limit <= g.hi*1.5) calmOk++; }
    console.log(seed, w.kind, 'peak', peak, 'grid', g.lo, g.hi, 'max', g.max.toFixed(0), JSON.stringify(r), right?'ok':'WRONG');
  }
}
console.log({ok,sat,calmOk,calmN});
