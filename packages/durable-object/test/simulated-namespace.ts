import { LimitObject } from '@headgate/durable-object';
import type { ObjectNamespace } from '../src/durable-object.ts';
import { SimulatedStorage } from './simulated-storage.ts';

/** Objects with simulated storage, whose alarms are timers of this process. */
export class SimulatedNamespace implements ObjectNamespace {
  /** Number of calls, including refused ones. */
  calls = 0;
  #isRefusing = false;
  readonly #objects = new Map<string, LimitObject>();

  idFromName(name: string): string {
    return name;
  }

  get(id: unknown) {
    return { fetch: (url: string, init: RequestInit) => this.#fetch(String(id), url, init) };
  }

  /** Refuses calls until the returned function is called. */
  refuse(): () => void {
    this.#isRefusing = true;
    return () => {
      this.#isRefusing = false;
    };
  }

  async #fetch(name: string, url: string, init: RequestInit): Promise<Response> {
    this.calls++;
    if (this.#isRefusing) throw new TypeError('the object is being replaced');
    return this.#find(name).fetch(new Request(url, init));
  }

  #find(name: string): LimitObject {
    const known = this.#objects.get(name);
    if (known !== undefined) return known;
    const storage = new TimedStorage(() => void object.alarm());
    const object = new LimitObject({ storage });
    this.#objects.set(name, object);
    return object;
  }
}

class TimedStorage extends SimulatedStorage {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ring: () => void) {
    super();
  }

  override async setAlarm(time: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.ring, Math.max(0, time - Date.now()));
    this.#timer.unref?.();
  }
}
