import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Each client sends its next request when the previous one is answered, over a connection that it keeps open. */
export interface Clients {
  readonly requests: number;
  /** Clients that read an event stream, and open it again when it ends. */
  readonly streams: number;
}

/** What a client of the app sees: every response that is not the expected one, and every error, is a failure. */
export class Load {
  requests = 0;
  streams = 0;
  /** Rejected by a busy process, which is no failure of the restart: shown, since the load should stay below the limit. */
  rejected = 0;
  readonly failures = new Map<string, number>();
  readonly #agent = new Agent({ keepAlive: true });
  readonly #stopped = new AbortController();
  readonly #answered = new Map<number, () => void>();
  readonly #clients: Promise<void>[];

  constructor(
    private readonly port: number,
    { requests, streams }: Clients,
  ) {
    this.#clients = [
      ...Array.from({ length: requests }, (_, first) => this.#repeat((n) => this.#one(first + n))),
      ...Array.from({ length: streams }, () => this.#repeat(() => this.#stream())),
    ];
  }

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when the process with this ID has answered a request. */
  answeredBy(pid: number): Promise<void> {
    return new Promise((resolve) => this.#answered.set(pid, resolve));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #repeat(run: (n: number) => Promise<string | undefined>): Promise<void> {
    for (let n = 0; !this.#stopped.signal.aborted; n++) {
      const failure = await run(n);
      if (failure !== undefined) this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
    }
  }

  /** Sends a slow GET, or a fast POST with a body of up to 20 kB; resolves to what failed. */
  #one(n: number): Promise<string | undefined> {
    this.requests++;
    return n % 3 === 0
      ? this.#get()
      : this.#post(JSON.stringify({ n, text: 'x'.repeat((n * 997) % 20_000) }));
  }

  #get(): Promise<string | undefined> {
    return this.#send('GET', '/report', (status, body) => {
      const [, pid] = /^A report by process (\d+)\n$/.exec(body) ?? [];
      this.#answered.get(Number(pid))?.();
      return status === 200 && pid !== undefined;
    });
  }

  #post(order: string): Promise<string | undefined> {
    const isRight = (status: number, body: string) => status === 201 && body === order;
    return this.#send('POST', '/orders', isRight, order);
  }

  #stream(): Promise<string | undefined> {
    this.streams++;
    const isRight = (status: number, body: string) =>
      status === 200 && body.endsWith('data: the server restarts\n\n');
    return this.#send('GET', '/events', isRight, undefined, this.#stopped.signal);
  }

  async #send(
    method: string,
    path: string,
    isRight: (status: number, body: string) => boolean,
    body?: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const fields = body === undefined ? {} : { 'Content-Type': 'application/json' };
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const { port } = this;
        const sent = request({ port, method, path, headers: fields, agent: this.#agent, signal });
        sent.once('response', resolve).once('error', reject).end(body);
      });
      const { statusCode = 0, headers } = response;
      const received = await text(response);
      if (isRight(statusCode, received)) return undefined;
      const isBusy = headers['retry-after'] !== undefined && received.includes('"reason":"full"');
      if (!isBusy) return `${method} ${path}: ${statusCode}`;
      this.rejected++;
      return undefined;
    } catch (error) {
      // The streams end with the load.
      if (signal?.aborted) return undefined;
      return `${method} ${path}: ${(error as NodeJS.ErrnoException).code}`;
    }
  }
}
