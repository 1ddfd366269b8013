import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Milliseconds, like a query of a database. */
const RESPONSE_TIME_MS = 20;

const towns = ['Aarhus', 'Bergen', 'Cork', 'Delft', 'Evora'];

const rows = Array.from({ length: 1_000 }, (_, id) => ({
  ...{ id, name: `Product ${id}`, town: towns[id % towns.length], price: (id * 37) % 1_000 },
}));

/** Run as a program, this file is the server: its port is what it prints. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = JSON.stringify(rows);
  const server = createServer(async (_, res) => {
    await delay(RESPONSE_TIME_MS);
    res.setHeader('Content-Type', 'application/json');
    res.end(text);
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

/** The server from which the apps read what their pages show: a process, which the load generator does not delay. */
export class RowsServer {
  #child;
  #port;

  static async start() {
    const started = new RowsServer();
    const file = fileURLToPath(import.meta.url);
    started.#child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = await once(started.#child.stdout, 'data');
    started.#port = Number(output);
    return started;
  }

  /** Its address, which apps read from `BACKEND_URL`. */
  get url() {
    return `http://127.0.0.1:${this.#port}/`;
  }

  close() {
    this.#child.kill();
  }
}
