import type { Network } from '@headgate/test-suite';
import { late, unreachable } from '../src/failure.ts';
import type { Answer, Call, Caller, CallTimes } from '../src/transport.ts';

/** Each request has its own connection, because HTTP/1.1 allows one request at a time per connection. */
export class SimulatedTransport implements Caller {
  constructor(
    private readonly network: Network,
    private readonly app: {
      request(path: string, init: RequestInit): Promise<Response> | Response;
    },
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
      const answer = this.network.send({ connection: Symbol(), name, apply }, () =>
        unreachable(new Error('the connection was reset')),
      );
      answer.finally(() => clearTimeout(timer)).then(resolve, reject);
    });
  }

  close(): void {}
}
