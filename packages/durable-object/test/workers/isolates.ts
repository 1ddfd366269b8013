import { startWorkerd, type WorkerdServer } from '@headgate/test-servers';
import { Call, RawSocket } from '@headgate/test-suite';
import { expect, vi } from 'vitest';

interface Stats {
  /** Over all isolates. */
  readonly inflight: number;
  /** Over all isolates. */
  readonly queued: number;
  /** Permits of the isolate that has answered. */
  readonly own: number;
}

/** Two isolates with one limit of 2, which is counted in an object of a third one. */
export class Isolates {
  static readonly names = ['one', 'two'] as const;

  static async start(): Promise<Isolates> {
    const program = new URL('app.ts', import.meta.url);
    const flags = ['enable_request_signal'];
    const bindings = { LIMITS: { worker: 'limits', object: 'LimitObject' } };
    const isolate = { program, flags, bindings };
    const limits = { program: new URL('limits.ts', import.meta.url), objects: ['LimitObject'] };
    return new Isolates(await startWorkerd({ limits, one: isolate, two: isolate }));
  }

  private constructor(readonly server: WorkerdServer) {}

  call(isolate: 'one' | 'two', path: string): Call {
    return new Call(this.server.port(isolate), path, {});
  }

  raw(isolate: 'one' | 'two', path: string): RawSocket {
    const client = new RawSocket(this.server.port(isolate));
    client.request(`GET ${path}`);
    return client;
  }

  async stats(isolate: 'one' | 'two' = 'one'): Promise<Stats> {
    return JSON.parse((await this.call(isolate, '/stats').answer()).body);
  }

  /** Waits until the limit has these counts over all isolates. */
  async counts(inflight: number, queued = 0): Promise<void> {
    await vi.waitFor(async () => expect(await this.stats()).toMatchObject({ inflight, queued }), {
      interval: 20,
      timeout: 15_000,
    });
  }
}
