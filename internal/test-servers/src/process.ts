import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Program } from './programs.ts';

/**
 * Starts a program, prints its process ID, and ends when the program does. Each line of its input is a signal that it
 * sends to the program. When the input ends, it ends the program and removes the program's files. That also happens
 * when the parent process is killed, after which no other process would do it.
 */
const watch = [
  'exec 3<&0; folder=$1; end=$2; shift 2',
  '"$@" >/dev/null 2>&1 </dev/null 3<&- & program=$!',
  'echo $program',
  '{ read -r signal <&3 || { rm -rf "$folder"; signal=$end; }; kill -s $signal $program; kill -s CONT $program; } & reader=$!',
  'wait $program',
  'kill $reader',
].join('\n');

type Signal = 'KILL' | 'QUIT' | 'INT';

export interface Launch {
  /** Removed when this process ends. */
  readonly folder: string;
  readonly program: Program;
  readonly args: readonly string[];
  /** The signal that ends the program immediately. */
  readonly end: Signal;
  /** The user that runs the program. */
  readonly identity?: { readonly uid?: number; readonly gid?: number };
}

/** A server, and the shell that supervises it. */
export class ServerProcess {
  readonly pid: number;
  readonly #shell: ChildProcess;
  readonly #end: Signal;

  static async start({ folder, program, args, end, identity }: Launch): Promise<ServerProcess> {
    const shell = spawn('sh', ['-c', watch, 'sh', folder, end, program.path, ...args], {
      ...identity,
      cwd: folder,
      env: { ...process.env, ...program.env },
      stdio: ['pipe', 'pipe', 'ignore'],
      // Ctrl+C in the terminal must not end the server, which ends after the tests.
      detached: true,
    });
    const lines = createInterface({ input: shell.stdout as NodeJS.ReadableStream });
    const [line] = await Promise.race([once(lines, 'line'), once(shell, 'exit')]);
    return new ServerProcess(shell, Number(line), end);
  }

  private constructor(shell: ChildProcess, pid: number, end: Signal) {
    this.#shell = shell;
    this.pid = pid;
    this.#end = end;
  }

  get alive(): boolean {
    return this.#shell.exitCode === null;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.pid, name);
  }

  /** Kills it immediately, or ends it with another signal. */
  async kill(signal = this.#end): Promise<void> {
    if (!this.alive) return;
    const exit = once(this.#shell, 'exit');
    this.#shell.stdin?.end(`${signal}\n`);
    await exit;
  }
}
