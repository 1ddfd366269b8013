import type { Crew } from '../crew.ts';
import type { Dice } from '../dice.ts';
import type { Ground } from '../ground/ground.ts';
import type { Event } from '../log/event.ts';

/** Where a fault strikes. */
export interface Stage {
  readonly crew: Crew;
  readonly ground: Ground;
  readonly dice: Dice;
  /** Milliseconds. */
  readonly lease: number;
  readonly note: (event: Event) => void;
}

export interface Fault {
  readonly name: string;
  /** Whether no other such fault may be under way: those of the servers. */
  readonly alone: boolean;
  /** Resolves when it has been undone. */
  strike(stage: Stage): Promise<void>;
}
