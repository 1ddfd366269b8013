import type { Goal } from '../table.ts';
import { needsMainThread } from './resources.ts';
import type { Measured, ResourceRun } from './run.ts';
import { measuredOf } from './throughput-ratio.ts';

/** The multiples of the capacity at which hardly any request should be rejected. */
const lightLoads = [0.5, 0.8];

/** @param drift The machine's slowest and fastest capacity relative to its mean. */
export function goalsWithoutOverload(
  run: ResourceRun,
  headgate: Measured,
  drift: readonly [slow: number, quick: number],
): Goal[] {
  const others = new Map(measuredOf(run));
  const bare = others.get('bare');
  const fifo = others.get('express-queue, right limit');
  return [
    ...rejected(headgate),
    ...(bare ? [answeredRatio(headgate, bare, { what: 'bare', target: 1, drift })] : []),
    ...(fifo && needsMainThread(run.resource) ? comparedWithFifo(headgate, fifo, drift) : []),
  ].filter(({ measured }) => !Number.isNaN(measured));
}

function rejected({ loads }: Measured): Goal[] {
  return lightLoads.map((multiple) => {
    const { refused = Number.NaN, offered = Number.NaN } = loads.get(multiple) ?? {};
    const measured = (100 * refused) / offered;
    return { what: `rejected at ${multiple} ×`, target: 0.5, measured, unit: '%' };
  });
}

/** A FIFO queue of the right limit, in which requests wait for as long as clients do. */
function comparedWithFifo(
  headgate: Measured,
  fifo: Measured,
  drift: readonly [slow: number, quick: number],
): Goal[] {
  const what = 'express-queue, right limit';
  const p99 = ({ loads }: Measured) => loads.get(1)?.p99 ?? Number.NaN;
  return [
    answeredRatio(headgate, fifo, { what, target: 0.97, drift }),
    { what: `p99 at 1 × / ${what}`, target: 0.6, measured: p99(headgate) / p99(fifo), unit: '×' },
  ];
}

/** What is answered at the capacity. */
function answeredRatio(
  headgate: Measured,
  other: Measured,
  { what, target, drift: [slow, quick] }: Comparison,
): Goal {
  const answered = ({ loads, capacity }: Measured) =>
    (loads.get(1)?.answered ?? Number.NaN) / capacity;
  const measured = answered(headgate) / answered(other);
  const interval = { low: measured * slow, high: measured * quick };
  const common = { measured, unit: '×', atLeast: true, interval };
  return { what: `answered at 1 × / ${what}`, target, ...common };
}

interface Comparison {
  readonly what: string;
  readonly target: number;
  readonly drift: readonly [slow: number, quick: number];
}
