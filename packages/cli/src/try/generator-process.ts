// The load generator's process: runs tasks, one after the other.
import { arrivals, type Call, Clients, closedLoop, openLoop } from '../load/index.ts';
import type { Target, Tasks } from './generator.ts';
import { endTree } from './process-tree.ts';

const [, , mark = ''] = process.argv;
/** Milliseconds. */
const ANSWER_TIMEOUT = 10_000;
const MAX_LATE = 1_500;

let target: Target = { calls: [], weights: [] };
let leader: number | undefined;

/** The request that a random number from 0 to 1 stands for. */
function callOf(draw: number): Call {
  const { calls, weights } = target;
  const sumTo = (end: number) => weights.slice(0, end).reduce((sum, weight) => sum + weight, 0);
  const point = draw * sumTo(weights.length);
  return calls.find((_, index) => point < sumTo(index + 1)) as Call;
}

async function withClients<T>(work: (clients: Clients) => Promise<T>): Promise<T> {
  const clients = new Clients();
  try {
    return await work(clients);
  } finally {
    clients.close();
  }
}

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const tasks: { [K in keyof Tasks]: (...args: Parameters<Tasks[K]>) => unknown } = {
  target: (given) => {
    target = given;
  },
  guard: (id) => {
    leader = id;
  },
  probe: (timeout) =>
    withClients((clients) => Promise.all(target.calls.map((call) => clients.send(call, timeout)))),
  closed: (load) =>
    withClients(async (clients) => {
      let sent = 0;
      const before = cpu();
      const closed = await closedLoop(load, async () => {
        sent++;
        return (await clients.send(callOf(Math.random()), ANSWER_TIMEOUT)).outcome;
      });
      return { ...closed, cost: (cpu() - before) / sent };
    }),
  open: ({ phases, seed, timeout }) =>
    withClients(async (clients) => {
      const schedule = arrivals(phases, seed);
      const send = async ({ draw }: { draw: number }, left: number) =>
        (await clients.send(callOf(draw), left)).outcome;
      const attempts = await openLoop(schedule, timeout, send, MAX_LATE);
      return { attempts, isComplete: attempts.length === schedule.length };
    }),
};

process.on('message', async ({ task, argument }: { task: keyof Tasks; argument: never }) => {
  const value = await tasks[task](argument);
  // The command may have died: that is no reason to die before the app has been ended.
  if (process.connected) process.send?.({ value }, () => {});
});
// Whatever ended the command: nothing of the app stays behind.
process.on('disconnect', () => void endTree({ mark, leader }, 0).then(() => process.exit()));
// A terminal sends them to all its processes. The command decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
