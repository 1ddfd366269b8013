import { createLimiter, type Limiter, type Permit } from '@headgate/core';
import { redisStore } from '../../../src/index.ts';
import { Dice } from '../dice.ts';
import { stamp } from '../log/stamp.ts';
import { watchLoop } from '../log/watch-loop.ts';
import { call, type Shift } from './caller.ts';
import { shiftClock } from './clock.ts';
import { connect } from './connect.ts';
import type { Order, Plan } from './plan.ts';
import { Resource } from './resource.ts';
import { inShort, note, say } from './say.ts';
import { watchWaits } from './watch.ts';

const plan = JSON.parse(process.argv[2] ?? '') as Plan;
const { worker, lease, timeout } = plan;

process.on('disconnect', () => process.exit());
process.on('uncaughtException', (error, origin) => {
  note({ kind: 'failed', at: stamp(), worker, what: `${origin}: ${inShort(error)}` });
});
shiftClock(plan.clock);
watchLoop(worker, note);

const client = await connect(plan);
const store = watchWaits(redisStore({ client: client as never, lease, timeout }), worker);
const limiters = new Map<number, Limiter>();
for (const limit of plan.limits) {
  const line = { queueLimit: 1_000, queueTimeout: 2 * lease };
  limiters.set(limit, createLimiter({ name: `chaos-${limit}`, limit, store, ...line }));
}

const resource = new Resource(plan);
const dice = new Dice(plan.seed);
let calls = 0;
let stop = new AbortController();
const held: Permit[] = [];

process.on('message', (order: Order) => {
  if ('written' in order) resource.written(order.written);
  else if ('clock' in order) shiftClock(order.clock);
  else if ('probe' in order) void probe(order.probe, order.limit);
  else if ('release' in order) for (const permit of held.splice(0)) permit.release();
  else if (order.load) begin();
  else stop.abort(new Error('the shift is over'));
});
say({ ready: true });

function begin(): void {
  stop = new AbortController();
  const shift: Shift = { worker, lease, dice, resource, stop: stop.signal, next: () => ++calls };
  for (const [limit, limiter] of limiters) {
    for (let i = 0; i < plan.callers; i++) void call(limit, limiter, shift);
  }
}

async function probe(number: number, limit: number): Promise<void> {
  try {
    const permit = await limiters.get(limit)?.acquire({ queueTimeout: 300 });
    if (permit !== undefined) held.push(permit);
    say({ probed: number, limit, admitted: permit?.signal.aborted === false });
  } catch {
    say({ probed: number, limit, admitted: false });
  }
}
