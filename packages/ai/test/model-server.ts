import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Rejection, systemClock } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/express';
import { Latch } from '@headgate/test-suite';
import express from 'express';
import { afterEach, expect } from 'vitest';
import type { Refusal } from '../src/index.ts';

/** A provider's API, as the test needs it. */
export interface Api {
  readonly path: string;
  /** The body of a complete answer. */
  readonly answer: object;
  /** The events of a streamed answer. */
  readonly events: readonly string[];
}

/** An attempt of the client. */
interface Attempt {
  readonly at: number;
  readonly retryCount: string | undefined;
}

type RefusalOf = (rejection: Rejection) => Refusal;

/** Lets clients retry at once, for tests of what they do after a refusal. */
export function hasty(refusalOf: RefusalOf): RefusalOf {
  return (rejection) => {
    const refusal = refusalOf(rejection);
    return { ...refusal, headers: { ...refusal.headers, 'retry-after-ms': '1' } };
  };
}

/** A server with a limit of one request, whose only permit the test holds. */
export class ModelServer {
  private readonly attempts: Attempt[] = [];
  readonly limit: ConcurrencyLimit;
  /** Called at each rejection. */
  whenRejected: () => void = () => {};
  readonly #holder = new Latch();
  #server: Server | undefined;
  #held: Promise<unknown> | undefined;

  constructor(
    private readonly api: Api,
    refusalOf: RefusalOf,
  ) {
    this.limit = concurrencyLimit({
      ...{ name: 'model', limit: 1, queueLimit: 0 },
      // The lowest wait: one second.
      clock: { ...systemClock, random: () => 0 },
      onReject: (rejection, _req, res) => {
        const { status, headers, body } = refusalOf(rejection);
        res.status(status).set(headers).send(body);
        this.whenRejected();
      },
    });
  }

  /** How often the client had retried at each attempt, as it says itself. */
  get retries(): (string | undefined)[] {
    return this.attempts.map(({ retryCount }) => retryCount);
  }

  /** Milliseconds from the first attempt to the second. */
  get waited(): number {
    const [first, second] = this.attempts;
    return (second?.at ?? Number.NaN) - (first?.at ?? Number.NaN);
  }

  async start(): Promise<string> {
    const app = express();
    app.use((req, _res, next) => {
      const retryCount = req.get('x-stainless-retry-count');
      if (req.path === this.api.path) this.attempts.push({ at: performance.now(), retryCount });
      next();
    });
    app.use(this.limit, express.json());
    app.post('/hold', async (_req, res) => {
      await this.#holder.opened;
      res.end();
    });
    app.post(this.api.path, (req, res) => {
      if (req.body.stream !== true) return void res.json(this.api.answer);
      res.type('text/event-stream');
      for (const event of this.api.events) res.write(event);
      res.end();
    });
    const server = app.listen(0, '127.0.0.1');
    this.#server = server;
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Holds the only permit until `release`. */
  async hold(url: string): Promise<void> {
    this.#held = fetch(`${url}/hold`, { method: 'POST' }).then((response) => response.text());
    await expect.poll(() => this.limit.holders, { interval: 1, timeout: 10_000 }).toBe(1);
  }

  release(): void {
    this.#holder.open();
  }

  async stop(): Promise<void> {
    this.release();
    await this.#held;
    await expect.poll(() => this.limit.holders, { interval: 1, timeout: 10_000 }).toBe(0);
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

/** Starts servers, which are stopped after the test. */
export function modelServers(): (
  api: Api,
  refusalOf: RefusalOf,
) => Promise<{ server: ModelServer; url: string }> {
  const servers: ModelServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
  return async (api, refusalOf) => {
    const server = new ModelServer(api, refusalOf);
    servers.push(server);
    return { server, url: await server.start() };
  };
}
