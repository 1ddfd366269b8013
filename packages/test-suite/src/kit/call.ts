import http from 'node:http';
import { text } from 'node:stream/consumers';

/** The Accept header that a browser sends for a link. */
export const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Default: its own connection. */
  readonly agent?: http.Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A request in flight. */
export class Call {
  readonly #request: http.ClientRequest;
  /** Resolves when the header of the response has arrived. Its body has not been read then. */
  readonly response: Promise<http.IncomingMessage>;

  constructor(port: number, path: string, { body, agent, ...options }: CallOptions) {
    const where = { host: '127.0.0.1', port, path, agent: agent ?? false };
    this.#request = http.request({ ...where, ...options });
    this.response = new Promise((resolve, reject) => {
      this.#request.on('response', resolve);
      this.#request.on('error', reject);
    });
    // Ignored if the client aborts, since it does not need the response then.
    this.response.catch(() => {});
    this.#request.end(body);
  }

  /** Reads the response to its end. */
  async answer(): Promise<Answer> {
    const response = await this.response;
    const body = await text(response);
    return { status: response.statusCode ?? 0, headers: response.headers, body };
  }

  /** Disconnects the client. */
  abort(): void {
    this.#request.on('error', () => {});
    this.#request.destroy();
  }
}
