import { checkObserver, kinds, type Observer } from './observer.ts';

type Kind = keyof Observer;
type Callback = (event: never) => void;

/** An observer that was added. */
interface Added {
  readonly observer: Observer;
  isRemoved: boolean;
}

/** A callback of one of several observers. */
interface Listener {
  readonly added: Added;
  readonly callback: Callback;
}

/** The events of a limit itself. A gate's observers receive them from the limiters that the gate has made. */
const limitKinds: readonly Kind[] = ['resized', 'store', 'slowed', 'lost', 'reclaimed', 'conflict'];

/**
 * The observers of a limiter or a gate, as one: each callback calls those of all observers, and is undefined if there
 * are none, so that no event is created. All are initialized, since adding a property later would slow down every
 * request.
 */
export class Observers {
  admitted: Observer['admitted'] = undefined;
  asked: Observer['asked'] = undefined;
  queued: Observer['queued'] = undefined;
  rejected: Observer['rejected'] = undefined;
  withdrawn: Observer['withdrawn'] = undefined;
  released: Observer['released'] = undefined;
  resized: Observer['resized'] = undefined;
  leaked: Observer['leaked'] = undefined;
  store: Observer['store'] = undefined;
  slowed: Observer['slowed'] = undefined;
  lost: Observer['lost'] = undefined;
  reclaimed: Observer['reclaimed'] = undefined;
  conflict: Observer['conflict'] = undefined;
  #own: Added[] = [];
  readonly #changeListeners: (() => void)[] = [];

  /** @param gate The observers of the gate to whose limit these belong. */
  constructor(private readonly gate?: Observers) {
    gate?.whenChanged(() => this.#combine());
    this.#combine();
  }

  /** Returns what removes the observer. */
  add(observer: Observer): () => void {
    const added: Added = { observer: checkObserver(observer), isRemoved: false };
    this.#own.push(added);
    this.#combine();
    return () => {
      added.isRemoved = true;
      this.#own = this.#own.filter((other) => other !== added);
      this.#combine();
    };
  }

  /** Calls back after an observer was added or removed. */
  whenChanged(listener: () => void): void {
    this.#changeListeners.push(listener);
  }

  #combine(): void {
    for (const kind of kinds) this[kind] = callingAll(this.#listenersOf(kind));
    for (const listener of this.#changeListeners) listener();
  }

  #listenersOf(kind: Kind): Listener[] {
    const { gate } = this;
    const own: Listener[] = [];
    for (const added of this.#own) {
      const callback = added.observer[kind] as Callback | undefined;
      if (callback !== undefined) own.push({ added, callback });
    }
    if (gate === undefined || !limitKinds.includes(kind)) return own;
    return [...gate.#listenersOf(kind), ...own];
  }
}

function callingAll(listeners: readonly Listener[]): Callback | undefined {
  if (listeners.length < 2) return listeners[0]?.callback;
  return (event) => {
    for (const { added, callback } of listeners) {
      // A callback before this one may have removed its observer.
      if (!added.isRemoved) callback(event);
    }
  };
}
