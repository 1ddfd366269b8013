import { LimitObject } from '@headgate/durable-object';
import type { ObjectNamespace } from '../src/durable-object.ts';
import { SimulatedStorage } from './simulated-storage.ts';

/** Objects with simulated storage, whose alarms are timers of this process. */
export class SimulatedNamespace implements ObjectNamespace {
  /** Number of calls, including refused ones. */
  calls = 0;
  #isRefusing = false;
  /** Functions that break responses. */
  readonly #open = new Set<() => void>();
  readonly #objects = new Map<string, LimitObject>();

  idFromName(name: string): string {
    return name;
  }

  get(id: unknown) {
    return { fetch: (url: string, init: RequestInit) => this.#fetch(String(id), url, init) };
  }

  /** Breaks open responses, and refuses calls until the returned function is called. */
  refuse(): () => void {
    this.#isRefusing = true;
    for (const end of this.#open) end();
    this.#open.clear();
    return () => {
      this.#isRefusing = false;
    };
  }

  async #fetch(name: string, url: string, init: RequestInit): Promise<Response> {
    this.calls++;
    if (this.#isRefusing) throw new TypeError('the object is being replaced');
    const { body } = await this.#find(name).fetch(new Request(url, init));
    return new Response(this.#breakable(body as ReadableStream<Uint8Array>));
  }

  #breakable(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const through = new TransformStream<Uint8Array, Uint8Array>();
    const abort = new AbortController();
    const end = () => abort.abort(new TypeError('the object is being replaced'));
    this.#open.add(end);
    const piped = body.pipeTo(through.writable, { signal: abort.signal });
    void piped.catch(() => {}).finally(() => this.#open.delete(end));
    return through.readable;
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
