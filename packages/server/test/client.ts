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

/** Speaks to a server, with paths and bodies just as they are written. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(private readonly place: { port?: number; socketPath?: string }) {}

  /** A body is said to be JSON. */
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

  /** Its status and its body: most tests look at nothing else. */
  async said(method: string, path: string, body?: string): Promise<string> {
    const answer = await this.ask(method, path, body);
    return `${answer.status} ${answer.text}`;
  }

  async newPeer(expiresIn = '5m'): Promise<string> {
    return (await this.ask('POST', '/new_peer', JSON.stringify({ expires_in: expiresIn }))).text;
  }

  /** As many as that; those who ask for two look at no third. */
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

  /** Resolves when the server knows that the peer waits: who asked to be blocked is, by then. */
  async untilPending(peer: string): Promise<void> {
    while ((await this.said('GET', `/peers/${peer}/is_acquired`)) !== '200 false');
  }

  close(): void {
    this.#agent.destroy();
  }
}
