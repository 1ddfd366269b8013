import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../member.ts';
import type { Fault, Stage } from './fault.ts';

function killing(name: string, who: (stage: Stage) => Member | undefined): Fault {
  return {
    name: `kill a ${name}`,
    alone: false,
    strike: async (stage) => {
      const member = who(stage);
      if (member !== undefined) stage.crew.kill(member);
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
      await sleep(stage.lease * stage.dice.between(1.1, 2));
      stage.crew.resume(member);
    },
  };
}

const holder = ({ crew, dice }: Stage) => dice.pick(crew.holders) ?? dice.pick(crew.members);
const waiter = ({ crew, dice }: Stage) => dice.pick(crew.waiters) ?? dice.pick(crew.members);

const setClock: Fault = {
  name: 'set a clock',
  harmless: true,
  alone: false,
  strike: async ({ crew, dice }) => {
    dice.pick(crew.members)?.tell({ clock: dice.chance(0.5) ? 3_600_000 : -3_600_000 });
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
