import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../member.ts';
import type { Fault, FaultContext } from './fault.ts';

function killing(name: string, who: (context: FaultContext) => Member | undefined): Fault {
  return {
    name: `kill a ${name}`,
    alone: false,
    inject: async (context) => {
      const member = who(context);
      if (member !== undefined) context.workers.kill(member);
    },
  };
}

function stopping(name: string, who: (context: FaultContext) => Member | undefined): Fault {
  return {
    name: `stop a ${name}`,
    alone: false,
    inject: async (context) => {
      const member = who(context);
      if (member === undefined) return;
      member.stop();
      await sleep(context.lease * context.rng.between(1.1, 2));
      context.workers.resume(member);
    },
  };
}

const holder = ({ workers, rng }: FaultContext) =>
  rng.pick(workers.holders) ?? rng.pick(workers.members);
const waiter = ({ workers, rng }: FaultContext) =>
  rng.pick(workers.waiters) ?? rng.pick(workers.members);

const setClock: Fault = {
  name: 'set a clock',
  harmless: true,
  alone: false,
  inject: async ({ workers, rng }) => {
    rng.pick(workers.members)?.send({ clock: rng.chance(0.5) ? 3_600_000 : -3_600_000 });
  },
};

/** Faults of the worker processes. */
export const processes: readonly Fault[] = [
  killing('holder', holder),
  killing('waiter', waiter),
  stopping('holder', holder),
  stopping('waiter', waiter),
  setClock,
];
