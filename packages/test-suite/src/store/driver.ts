import type { Capabilities, Store } from '@headgate/core/shared';

/** How the suite reaches a kind of store. All that it asks for is on one state, which is empty at first. */
export interface StoreDriver {
  readonly name: string;
  /** What its stores say of themselves; what they cannot do is not tested. Default: they can do all of it. */
  readonly can?: Partial<Capabilities> | undefined;
  /** Tests only these topics: for a further client library of a store that is tested in full. Default: all topics. */
  readonly topics?: readonly string[] | undefined;
  /** A store as another process would have it, with nothing of its own but that state. The suite closes it. */
  connect(times: SuiteTimes): Store | Promise<Store>;
  /** The service has these limits from now on, besides others: where stores cannot set one. Before anything is asked. */
  declare?(limits: ReadonlyMap<string, number>): void | Promise<void>;
  /** Characters of a name, where not all can be as long as one likes. */
  readonly longestName?: number | undefined;
  /** Milliseconds that leases last which a test lets expire: short, where that is real time. Default: 600. */
  readonly lease?: number | undefined;
  /** Time passes for the store, and for its leases. Default: real time does. */
  elapse?(milliseconds: number): void | Promise<void>;
  /** The state is lost, as in a restart. Without it, nothing is tested of that. */
  wipe?(): void | Promise<void>;
  /** Nothing is answered until what is returned is called. Without it, nothing is tested of that. */
  hang?(): (() => void) | Promise<() => void>;
}

export interface SuiteTimes {
  /** Milliseconds. */
  readonly lease: number;
  /** Milliseconds. */
  readonly timeout: number;
}

/** What a store can do according to its driver. */
export function capabilitiesOf({ can }: StoreDriver): Capabilities {
  return {
    ...{ fencing: true, queueLimit: true, setLimit: true, keys: true },
    ...{ place: true, resize: true, recall: true, counts: true },
    ...can,
  };
}
