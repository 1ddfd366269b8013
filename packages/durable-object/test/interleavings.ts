import { interleavingSuite, type Network } from '@headgate/test-suite';
import { afterEach, beforeEach, vi } from 'vitest';
import type { ObjectNamespace } from '../src/durable-object.ts';
import { DurableObjectStore } from '../src/durable-object-store.ts';
import { SimulatedNamespace } from './simulated-namespace.ts';

/** Objects behind a network. Each call has a connection of its own, on which the lines of its response follow. */
class RemoteNamespace implements ObjectNamespace {
  constructor(
    private readonly objects: SimulatedNamespace,
    private readonly network: Network,
  ) {}

  idFromName(name: string): string {
    return name;
  }

  get(id: unknown) {
    return { fetch: (url: string, init: RequestInit) => this.#fetch(id, url, init) };
  }

  #fetch(id: unknown, url: string, { method = '', body = '', signal }: RequestInit) {
    const connection = Symbol('call');
    const apply = () => this.objects.get(id).fetch(url, { method, body });
    const reset = () => new TypeError('the connection was reset');
    return this.network
      .send({ connection, name: `call ${body}`, apply }, reset)
      .then(({ body: lines }) => {
        return new Response(this.#follow(connection, lines as ReadableStream<Uint8Array>, signal));
      });
  }

  /** Passes the lines of a response on, one by one. */
  #follow(
    connection: unknown,
    lines: ReadableStream<Uint8Array>,
    signal: AbortSignal | null | undefined,
  ): ReadableStream<Uint8Array> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const reader = lines.getReader();
    const end = () => {
      writer.abort(new TypeError('the connection was reset')).catch(() => {});
      reader.cancel().catch(() => {});
    };
    signal?.addEventListener('abort', end);
    const next = async () => {
      const { value } = await reader.read();
      const deliver = () => {
        if (value === undefined) return void writer.close().catch(() => {});
        writer.write(value).catch(() => {});
        void next();
      };
      this.network.notify(connection, `line ${new TextDecoder().decode(value)}`, deliver, end);
    };
    void next();
    return readable;
  }
}

/** @param runs Number of runs of each test. */
export function interleavings(runs: number): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  });
  afterEach(() => void vi.useRealTimers());

  interleavingSuite({
    name: 'durableObjectStore',
    start: ({ network, name }) => {
      const objects = new SimulatedNamespace();
      const namespace = new RemoteNamespace(objects, network);
      return {
        connect: (times) => new DurableObjectStore({ namespace, waitUntil: () => {} }, times),
        count: () => {
          const store = { namespace: objects, waitUntil: () => {} };
          return new DurableObjectStore(store, { leaseDuration: 10_000, timeout: 1_000 }).stats({
            name,
          });
        },
      };
    },
    elapse: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds).then(() => {}),
    runs,
  });
}
