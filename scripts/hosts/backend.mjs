import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * The server that the apps wait for. It responds only once `release()` is called, so that a test decides when a request
 * of an app ends.
 */
export class Backend {
  /** Responses that are held. */
  #held = new Set();
  #arrivals = new Set();
  #server;

  static async start() {
    const backend = new Backend();
    backend.#server = createServer((req, res) => backend.#arrived(req, res));
    await once(backend.#server.listen(0, '127.0.0.1'), 'listening');
    return backend;
  }

  /** Its address, which apps read from `BACKEND_URL`. */
  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/`;
  }

  /** Resolves once this many requests are held. */
  async holds(count) {
    const late = new Error(`the app has not sent ${count} requests, but ${this.#held.size}`);
    const end = Date.now() + 20_000;
    while (this.#held.size < count) {
      const left = end - Date.now();
      if (left <= 0) throw late;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#arrivals.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Responds to the requests that are held. */
  release() {
    for (const res of this.#held) res.end('ready');
    this.#held.clear();
  }

  /** Responds to all requests until `work` has ended, also to those that arrive meanwhile. */
  async releasing(work) {
    const timer = setInterval(() => this.release(), 5);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  async close() {
    this.release();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #arrived(req, res) {
    this.#held.add(res);
    res.once('close', () => this.#held.delete(res));
    req.resume();
    for (const each of this.#arrivals) each();
    this.#arrivals.clear();
  }
}
