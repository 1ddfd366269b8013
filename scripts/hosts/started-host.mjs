import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.mjs';

/** Longer than a busy machine needs to start a framework, or to notice that a client has gone. */
const TIMEOUT_MS = 60_000;

const hook = '--import @headgate/node/register';

/** The limit of most checks: two requests at a time, and one in the queue. */
export const limitOfTwo = {
  ...{ name: 'app', limit: 2, queueLimit: 1, queueTimeout: TIMEOUT_MS },
  admin: { port: 0 },
};

export const npmStart = ['npm', 'start', '--silent'];

/** An app that was started as its users do, with the hook in `NODE_OPTIONS`. */
export class StartedHost {
  stdout = '';
  stderr = '';
  #child;
  #closed;
  #port;
  #protocol;
  #base;

  /**
   * @param project The result of `createProject`.
   * @param options.HEADGATE The configuration. Default: a limit of two. `{}`: the default limit.
   * @param options.command Default: `npm start`.
   * @param options.base What the paths of its routes begin with.
   * @param options.hooked False: without the hook.
   */
  static async start(project, backend, options = {}) {
    const host = new StartedHost();
    const { command = npmStart, HEADGATE = limitOfTwo, protocol = 'http' } = options;
    const { nodeOptions = hook, hooked = true, base = '', env } = options;
    host.#port = await freePort();
    host.#protocol = protocol;
    host.#base = base;
    const [program, ...args] = command;
    host.#child = spawn(program, args, {
      cwd: project.cwd,
      env: {
        ...project.env,
        ...{ PORT: String(host.#port), HOST: '127.0.0.1', BACKEND_URL: backend.url },
        // Where PM2 keeps its files.
        PM2_HOME: join(project.cwd, '.pm2'),
        ...(hooked && { NODE_OPTIONS: nodeOptions }),
        HEADGATE: typeof HEADGATE === 'object' ? JSON.stringify(HEADGATE) : HEADGATE,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that the processes that it starts end with it.
      detached: true,
    });
    for (const name of ['stdout', 'stderr'])
      host.#child[name].setEncoding('utf8').on('data', (text) => {
        host[name] += text;
      });
    host.#closed = once(host.#child, 'close');
    process.once('exit', host.#kill);
    try {
      await host.#listens();
    } catch (error) {
      await host.stop();
      throw error;
    }
    return host;
  }

  url(path = '/') {
    return `${this.#protocol}://127.0.0.1:${this.#port}${this.path(path)}`;
  }

  path(path) {
    return `${this.#base}${path}`;
  }

  get port() {
    return this.#port;
  }

  /** The process id of its command, which leads the group of the host's processes. */
  get pid() {
    return this.#child.pid;
  }

  /** Resolves once the metrics of the hook have these values, such as `{ active: 2, queued: 1 }`. */
  async has(expected) {
    let last;
    await this.until(
      async () => {
        last = await this.metrics();
        return Object.entries(expected).every(([name, value]) => last[name] === value);
      },
      () => `expected ${JSON.stringify(expected)}, but it has ${JSON.stringify(last)}`,
    );
  }

  /** The requests that hold a permit, and that are queued. */
  async metrics() {
    const admin = () => /admin server: (http:\S+)/.exec(this.stderr)?.[1];
    await this.until(
      async () => admin() !== undefined,
      () => 'there is no admin server',
    );
    const text = await (await fetch(`${admin()}metrics`)).text();
    const value = (name) => Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'm').exec(text)?.[1]);
    return {
      active: value('headgate_active_requests'),
      queued: value('headgate_queued_requests'),
    };
  }

  /** Repeats `test` until it resolves with true. */
  async until(test, why, timeout = TIMEOUT_MS) {
    const end = Date.now() + timeout;
    while (!(await test())) {
      if (this.#child.exitCode !== null) throw new Error(`it has ended\n${this.output}`);
      if (Date.now() > end) throw new Error(`${why()}\n${this.output}`);
      await delay(50);
    }
  }

  get output() {
    return `${this.stdout}\n${this.stderr}`;
  }

  async stop() {
    this.#kill();
    process.off('exit', this.#kill);
    await this.#closed;
  }

  #kill = () => {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // All of its processes have ended.
    }
  };

  async #listens() {
    const responds = async () => {
      try {
        if (this.#protocol === 'https') return await accepts(this.#port);
        const res = await fetch(this.url(), { signal: AbortSignal.timeout(TIMEOUT_MS) });
        await res.arrayBuffer();
        return res.status < 500;
      } catch {
        return false;
      }
    };
    await this.until(responds, () => `it does not respond to ${this.url()}`);
  }
}

/** Whether a server accepts connections at this port. */
async function accepts(port) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  return true;
}
