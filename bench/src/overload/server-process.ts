import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Assignment, ProcessReport } from './protocol.ts';
import { poolSize } from './resources.ts';

const program = fileURLToPath(new URL('./server.js', import.meta.url));

/** A handle on a server in its own process. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  port = 0;

  private constructor(assignment: Assignment) {
    this.#name = assignment.server;
    const env = { ...process.env, NODE_ENV: 'production', UV_THREADPOOL_SIZE: String(poolSize) };
    this.#child = fork(program, [JSON.stringify(assignment)], { env, execArgv: [] });
  }

  static async start(assignment: Assignment): Promise<ServerProcess> {
    const server = new ServerProcess(assignment);
    server.port = await server.#answer();
    return server;
  }

  report(): Promise<ProcessReport> {
    this.#child.send('report');
    return this.#answer();
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #answer<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const died = (code: number | null) => reject(new Error(`${this.#name} ended with ${code}`));
      this.#child.once('exit', died);
      this.#child.once('message', (value) => {
        this.#child.off('exit', died);
        resolve(value as T);
      });
    });
  }
}
