import { createHash } from 'node:crypto';
import { startWorkerd, type WorkerdServer } from '@headgate/test-servers';
import type { ObjectNamespace } from '../src/durable-object.ts';

/** Durable Objects on a real workerd, which stores of this process reach through a Worker. */
export class RunningObjects implements ObjectNamespace {
  /** The objects used since the last `wipe`. */
  readonly #names = new Set<string>();
  /** Set while calls hang: resolves when they continue. */
  #hanging: Promise<void> | undefined;

  static async start(): Promise<RunningObjects> {
    const limits = {
      program: new URL('objects.ts', import.meta.url),
      flags: ['enable_request_signal'],
      objects: ['TestedLimit'],
      bindings: { LIMITS: { worker: 'limits', object: 'TestedLimit' } },
    };
    return new RunningObjects(await startWorkerd({ limits }));
  }

  private constructor(readonly server: WorkerdServer) {}

  /** A hash, since names may contain what a header must not. */
  idFromName(name: string): string {
    return createHash('sha256').update(name).digest('hex');
  }

  get(id: unknown) {
    const object = String(id);
    this.#names.add(object);
    return {
      fetch: async (url: string, init: RequestInit): Promise<Response> => {
        await this.#hanging;
        return this.#fetch(object, new URL(url).pathname, init);
      },
    };
  }

  /** The number of rows that this object has written since it was started. */
  async rows(name: string): Promise<number> {
    const response = await this.#fetch(name, '/rows', {});
    return (await response.json()) as number;
  }

  /** Removes this object from memory; the next call or alarm makes a new instance. */
  async evict(name: string): Promise<void> {
    const response = await this.#fetch(name, '/evict', {});
    await response.text();
  }

  /** Deletes the state of all objects. */
  async wipe(): Promise<void> {
    const names = [...this.#names];
    this.#names.clear();
    await Promise.all(names.map((name) => this.#fetch(name, '/wipe', {}).then((r) => r.text())));
  }

  /** Lets calls hang until the returned function is called; they are executed then. */
  hang(): () => void {
    let go = () => {};
    this.#hanging = new Promise((resolve) => {
      go = () => {
        this.#hanging = undefined;
        resolve();
      };
    });
    return go;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  #fetch(object: string, path: string, init: RequestInit): Promise<Response> {
    const url = `http://127.0.0.1:${this.server.port()}${path}`;
    return fetch(url, { ...init, headers: { object } });
  }
}
