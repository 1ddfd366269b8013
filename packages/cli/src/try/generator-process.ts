// The load generator's process: runs tasks, one after the other.
import { arrivals, type Call, Clients, closedLoop, openLoop, type Phase } from '../load/index.ts';
import { endTree } from './process-tree.ts';

const [, , mark = ''] = process.argv;
/** Milliseconds. */
const ANSWER_TIMEOUT = 10_000;
const MAX_LATE = 1_500;

let leader: number | undefined;
let calls: readonly Call[] = [];
let weights: readonly number[] = [];
let clients = new Clients();

/** The request that a random number from 0 to 1 stands for. */
function callOf(draw: number): Call {
  let left = draw * weights.reduce((sum, weight) => sum + weight, 0);
  return calls.find((_, index) => {
    left -= weights[index] as number;
    return left < 0;
  }) as Call;
}

const send = async (draw: number, timeout: number) =>
  (await clients.send(callOf(draw), timeout)).outcome;

export type Tasks = typeof tasks;
const tasks = {
  /** Sets what is requested, and how often each, relative to the others. */
  target(given: { calls: readonly Call[]; weights: readonly number[] }) {
    ({ calls, weights } = given);
  },
  /** The process of the app, which the generator ends if `try` dies. */
  guard(id: number) {
    leader = id;
  },
  /** Sends one request of each URL; resolves to the answers. */
  probe: (timeout: number) => Promise.all(calls.map((call) => clients.send(call, timeout))),
  async closed(load: { clients: number; duration: number; minAnswers: number }) {
    const before = process.cpuUsage();
    let sent = 0;
    const closed = await closedLoop(load, () => {
      sent++;
      return send(Math.random(), ANSWER_TIMEOUT);
    });
    const { user, system } = process.cpuUsage(before);
    // `cost`: milliseconds of the generator's CPU for a request.
    return { ...closed, cost: (user + system) / 1_000 / sent };
  },
  async open(load: { phases: readonly Phase[]; seed: number; timeout: number }) {
    const schedule = arrivals(load.phases, load.seed);
    const attempts = await openLoop(
      schedule,
      load.timeout,
      ({ draw }, timeout) => send(draw, timeout),
      MAX_LATE,
    );
    return { attempts, isComplete: attempts.length === schedule.length };
  },
};

process.on('message', async ({ task, argument }: { task: keyof Tasks; argument: never }) => {
  const value = await tasks[task](argument);
  clients.close();
  clients = new Clients();
  // The command may have died: that is no reason to die before the app has been ended.
  if (process.connected) process.send?.({ value }, () => {});
});
// Whatever ended the command: nothing of the app stays behind.
process.on('disconnect', () => void endTree({ mark, leader }, 0).then(() => process.exit()));
// A terminal sends them to all its processes. The command decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
