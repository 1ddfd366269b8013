import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

export interface AskOptions {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** A raw HTTP client: sends paths and bodies exactly as given. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(private readonly place: { port?: number; socketPath?: string }) {}

  /** Sends a body as JSON by default. */
  ask(method: string, path: string, body?: string, options: AskOptions = {}): Promise<Answer> {
    const { headers = body === undefined ? {} : { 'Content-Type': 'application/json' }, signal } =
      options;
    return new Promise((resolve, reject) => {
      const settings = { ...this.place, agent: this.#agent, method, path, headers };
      const sent = request({ ...settings, ...(signal && { signal }) }, async (response) => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text: await text(response) });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Returns the status and the body, which is all that most tests look at. */
  async said(method: string, path: string, body?: string): Promise<string> {
    const answer = await this.ask(method, path, body);
    return `${answer.status} ${answer.text}`;
  }

  async newPeer(expiresIn = '5m'): Promise<string> {
    return (await this.ask('POST', '/new_peer', JSON.stringify({ expires_in: expiresIn }))).text;
  }

  /** Creates `count` peers. The type has three, so that tests can destructure without checks. */
  async newPeers(count: number): Promise<[string, string, string, ...string[]]> {
    const peers: string[] = [];
    while (peers.length < count) peers.push(await this.newPeer());
    return peers as [string, string, string];
  }

  acquire(peer: string, semaphore: string, count = 1, query = ''): Promise<string> {
    return this.said('PUT', `/peers/${peer}/${semaphore}${query}`, `${count}`);
  }

  remainder(semaphore: string): Promise<string> {
    return this.said('GET', `/remainder?semaphore=${semaphore}`);
  }

  /** Resolves when the peer's lock is pending; a blocked request of that peer is then registered, too. */
  async untilPending(peer: string): Promise<void> {
    while ((await this.said('GET', `/peers/${peer}/is_acquired`)) !== '200 false');
  }

  close(): void {
    this.#agent.destroy();
  }
}
