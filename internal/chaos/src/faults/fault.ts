import type { Workers } from '../crew.ts';
import type { Rng } from '../dice.ts';
import type { Ground } from '../ground.ts';
import type { Event } from '../log/event.ts';
import { stamp } from '../log/stamp.ts';

/** What a fault acts on. */
export interface Stage {
  readonly workers: Workers;
  readonly ground: Ground;
  readonly rng: Rng;
  /** Milliseconds. */
  readonly lease: number;
  /** See `Subject.costless`. */
  readonly costless: Readonly<Record<string, number>>;
  readonly note: (event: Event) => void;
}

export interface Fault {
  readonly name: string;
  /** Whether it is a fault of the servers, of which only one is active at a time. */
  readonly alone: boolean;
  /** Whether no permit may be lost because of it; such faults also occur in the calm phase. */
  readonly harmless?: boolean;
  /** Resolves when it has been undone. */
  strike(stage: Stage): Promise<void>;
}

/** Also records that the store lost all its state, or its writes of the last `latest` milliseconds before the fault. */
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
