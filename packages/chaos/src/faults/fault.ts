import type { Crew } from '../crew.ts';
import type { Dice } from '../dice.ts';
import type { Ground } from '../ground.ts';
import type { Event } from '../log/event.ts';
import { stamp } from '../log/stamp.ts';

/** Where a fault strikes. */
export interface Stage {
  readonly crew: Crew;
  readonly ground: Ground;
  readonly dice: Dice;
  /** Milliseconds. */
  readonly lease: number;
  /** As the subject says. */
  readonly costless: Readonly<Record<string, number>>;
  readonly note: (event: Event) => void;
}

export interface Fault {
  readonly name: string;
  /** Whether no other such fault may be under way: those of the servers. */
  readonly alone: boolean;
  /** Whether nobody may lose anything by it: such come in times of peace as well. */
  readonly harmless?: boolean;
  /** Resolves when it has been undone. */
  strike(stage: Stage): Promise<void>;
}

/** As one after which the store has forgotten what it knew, or what so many milliseconds before it have brought. */
export function forgetting(fault: Fault, latest = 0): Fault {
  return {
    ...fault,
    strike: async (stage) => {
      const from = stamp() - latest;
      await fault.strike(stage);
      stage.note({ kind: 'lost', at: stamp(), from });
    },
  };
}
