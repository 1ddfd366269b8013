import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { redisBinary } from './binary.ts';

/**
 * Starts a program, says its process id, and ends when it does. A line of input kills the program, also where that is
 * stopped; so does the end of the input, when this process has been killed, which nobody else will clean up after.
 */
const watch = [
  'exec 3<&0; folder=$1; shift',
  '"$@" >/dev/null 2>&1 </dev/null 3<&- & program=$!',
  'echo $program',
  '{ read -r _ <&3 || rm -rf "$folder"; kill -9 $program; } & reader=$!',
  'wait $program',
  'kill $reader',
].join('\n');

/** A server and the shell that watches over it. */
export class ServerProcess {
  readonly pid: number;
  readonly #shell: ChildProcess;

  /** The folder goes when this process does. */
  static async start(folder: string, args: readonly string[]): Promise<ServerProcess> {
    const { path, env } = redisBinary();
    const shell = spawn('sh', ['-c', watch, 'sh', folder, path, ...args], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      // An interrupt from the terminal is for the tests; the server ends when they have.
      detached: true,
    });
    const lines = createInterface({ input: shell.stdout as NodeJS.ReadableStream });
    const [line] = await Promise.race([once(lines, 'line'), once(shell, 'exit')]);
    return new ServerProcess(shell, Number(line));
  }

  private constructor(shell: ChildProcess, pid: number) {
    this.#shell = shell;
    this.pid = pid;
  }

  get alive(): boolean {
    return this.#shell.exitCode === null;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.pid, name);
  }

  /** At once, whatever it does. */
  async kill(): Promise<void> {
    if (!this.alive) return;
    const exit = once(this.#shell, 'exit');
    this.#shell.stdin?.end('\n');
    await exit;
  }
}
