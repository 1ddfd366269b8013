import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds, like a query of a database. */
const RESPONSE_TIME_MS = 20;

const towns = ['Aarhus', 'Bergen', 'Cork', 'Delft', 'Evora'];

const rows = Array.from({ length: 1_000 }, (_, id) => ({
  ...{ id, name: `Product ${id}`, town: towns[id % towns.length], price: (id * 37) % 1_000 },
}));

/** The server from which the apps read what their pages show. */
export class RowsServer {
  #server;

  static async start() {
    const started = new RowsServer();
    const text = JSON.stringify(rows);
    started.#server = createServer(async (_, res) => {
      await delay(RESPONSE_TIME_MS);
      res.setHeader('Content-Type', 'application/json');
      res.end(text);
    });
    await once(started.#server.listen(0, '127.0.0.1'), 'listening');
    return started;
  }

  /** Its address, which apps read from `BACKEND_URL`. */
  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/`;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
