import type { Network } from '@headgate/test-suite';
import { late, unreachable } from '../src/failure.ts';
import type { Stream, StreamReceiver, Streams } from '../src/stream.ts';
import type { Answer, Call, Caller, CallTimes } from '../src/transport.ts';

interface App {
  request(path: string, init?: RequestInit): Promise<Response> | Response;
}

const reset = () => unreachable(new Error('the connection was reset'));

/** Each request has its own connection, because HTTP/1.1 allows one request at a time per connection. */
export class SimulatedTransport implements Caller, Streams {
  constructor(
    private readonly network: Network,
    private readonly app: App,
  ) {}

  call({ method, path, body }: Call, { timeout, signal }: CallTimes): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' };
    const apply = async () => {
      const init = body === undefined ? { method } : { method, body, headers };
      const response = await this.app.request(path, init);
      return { status: response.status, text: await response.text() };
    };
    const name = `${method} ${path} ${body ?? ''}`;
    return new Promise((resolve, reject) => {
      const timer = timeout === undefined ? undefined : setTimeout(() => reject(late()), timeout);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal?.aborted) return reject(signal.reason);
      const answer = this.network.send({ connection: Symbol(), name, apply }, reset);
      answer.finally(() => clearTimeout(timer)).then(resolve, reject);
    });
  }

  stream(path: string, receiver: StreamReceiver): Stream {
    const connection = Symbol('stream');
    let isOver = false;
    const end = (error?: ReturnType<typeof reset>) => {
      if (!isOver) receiver.ended(error);
      isOver = true;
    };
    const pass = (line: string) => {
      if (!isOver) receiver.text(`${line}\n`);
    };
    const apply = async () => {
      const { body } = await this.app.request(path);
      void this.#follow(body as ReadableStream<Uint8Array>, (line) => {
        if (isOver) return false;
        // Not an event: the network would never be idle.
        if (line === '') return this.network.reaches(connection) ? pass(line) : undefined;
        this.network.notify(connection, `line: ${line}`, () => pass(line), end);
      });
    };
    this.network.send({ connection, name: `GET ${path}`, apply }, reset).catch(end);
    return {
      close: () => {
        isOver = true;
      },
      keepAlive: () => {},
    };
  }

  close(): void {}

  /** Reads the server's lines until `receive` returns false. */
  async #follow(
    body: ReadableStream<Uint8Array>,
    receive: (line: string) => unknown,
  ): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (receive(line) === false) return;
    }
  }
}
