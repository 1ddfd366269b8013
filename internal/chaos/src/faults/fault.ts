import type { Store } from '@headgate/store-kit';
import type { FaultyProxy } from '@headgate/test-servers';
import type { Event } from '../log/event.ts';
import { stamp } from '../log/stamp.ts';
import type { Rng } from '../rng.ts';
import type { Workers } from '../workers.ts';

/** The part of an environment that faults act on. */
export interface Endpoints {
  /** A proxy for each worker; none if there are several servers. */
  readonly proxies: readonly FaultyProxy[];
  /** Reads the state of a limit from the servers directly. */
  readonly store: Store;
}

/** What a fault acts on. */
export interface FaultContext {
  readonly workers: Workers;
  readonly environment: Endpoints;
  readonly rng: Rng;
  /** Milliseconds. */
  readonly lease: number;
  /** Maximum milliseconds of a call of the store. */
  readonly timeout: number;
  /** See `StoreUnderTest.maxDurationWithoutLoss`. */
  readonly maxDurationWithoutLoss: Readonly<Record<string, number>>;
  readonly note: (event: Event) => void;
}

export interface Fault {
  readonly name: string;
  /** Whether the fault affects the servers. Only one such fault is active at a time. */
  readonly alone: boolean;
  /** Whether no permit may be lost because of the fault. Such faults also occur in the calm phase. */
  readonly harmless?: boolean;
  /** Injects the fault. Resolves when it has been undone. */
  inject(context: FaultContext): Promise<void>;
}

/**
 * Adds to a fault the record that the store lost all its state, or its writes of the last `latest` milliseconds before
 * the fault.
 */
export function forgetting(fault: Fault, latest = 0): Fault {
  return {
    ...fault,
    inject: async (context) => {
      const from = stamp() - latest;
      await fault.inject(context);
      context.note({ kind: 'lost', at: stamp(), from });
    },
  };
}
