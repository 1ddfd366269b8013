import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../member.ts';
import type { Fault, Stage } from './fault.ts';

function killing(name: string, who: (stage: Stage) => Member | undefined): Fault {
  return {
    name: `kill a ${name}`,
    alone: false,
    strike: async (stage) => {
      const member = who(stage);
      if (member !== undefined) stage.workers.kill(member);
    },
  };
}

function stopping(name: string, who: (stage: Stage) => Member | undefined): Fault {
  return {
    name: `stop a ${name}`,
    alone: false,
    strike: async (stage) => {
      const member = who(stage);
      if (member === undefined) return;
      member.stop();
      await sleep(stage.lease * stage.rng.between(1.1, 2));
      stage.workers.resume(member);
    },
  };
}

const holder = ({ workers, rng }: Stage) => rng.pick(workers.holders) ?? rng.pick(workers.members);
const waiter = ({ workers, rng }: Stage) => rng.pick(workers.waiters) ?? rng.pick(workers.members);

const setClock: Fault = {
  name: 'set a clock',
  harmless: true,
  alone: false,
  strike: async ({ workers, rng }) => {
    rng.pick(workers.members)?.tell({ clock: rng.chance(0.5) ? 3_600_000 : -3_600_000 });
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
