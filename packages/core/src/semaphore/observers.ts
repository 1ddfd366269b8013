import { checkObserver, kinds, type Observer } from './observer.ts';

type Kind = keyof Observer;
type Callback = (event: never) => void;

/** The events of a limit itself. A gate's observers receive these events from the limiters that the gate has made. */
const limitKinds: readonly Kind[] = [
  'resized',
  'operated',
  'store',
  'slowed',
  'lost',
  'reclaimed',
  'conflict',
];

/**
 * Combines the observers of a limiter or a gate: each callback calls the same callback of all observers. It is
 * undefined if no observer has it, so that its event is not created. All properties are initialized, since adding one
 * later would slow down every request.
 */
export class Observers {
  admitted: Observer['admitted'] = undefined;
  asked: Observer['asked'] = undefined;
  queued: Observer['queued'] = undefined;
  rejected: Observer['rejected'] = undefined;
  withdrawn: Observer['withdrawn'] = undefined;
  released: Observer['released'] = undefined;
  resized: Observer['resized'] = undefined;
  operated: Observer['operated'] = undefined;
  leaked: Observer['leaked'] = undefined;
  store: Observer['store'] = undefined;
  slowed: Observer['slowed'] = undefined;
  lost: Observer['lost'] = undefined;
  reclaimed: Observer['reclaimed'] = undefined;
  conflict: Observer['conflict'] = undefined;
  #own: Observer[] = [];
  readonly #listeners: (() => void)[] = [];

  /** @param gate The observers of the gate to which the limit belongs, if any. */
  constructor(private readonly gate?: Observers) {
    gate?.whenChanged(() => this.#combine());
    this.#combine();
  }

  /** Returns a function that removes the observer. */
  add(observer: Observer): () => void {
    let isRemoved = false;
    const added = checkObserver(observer, () => isRemoved);
    this.#own.push(added);
    this.#combine();
    return () => {
      isRemoved = true;
      this.#own = this.#own.filter((other) => other !== added);
      this.#combine();
    };
  }

  /** Calls back after an observer was added or removed. */
  whenChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #combine(): void {
    for (const kind of kinds) this[kind] = callingAll(this.#callbacks(kind));
    for (const listener of this.#listeners) listener();
  }

  #callbacks(kind: Kind): Callback[] {
    const { gate } = this;
    const own = this.#own.map((observer) => observer[kind] as Callback | undefined);
    const callbacks = own.filter((callback) => callback !== undefined);
    if (gate === undefined || !limitKinds.includes(kind)) return callbacks;
    return [...gate.#callbacks(kind), ...callbacks];
  }
}

function callingAll(callbacks: readonly Callback[]): Callback | undefined {
  if (callbacks.length < 2) return callbacks[0];
  return (event) => {
    for (const callback of callbacks) callback(event);
  };
}
