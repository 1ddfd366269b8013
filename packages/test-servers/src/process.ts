import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Program } from './programs.ts';

/**
 * Starts a program, says its process id, and ends when it does. A line of input is a signal for the program; the end of
 * the input, when this process has been killed, ends it too, which nobody else will clean up after.
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
  /** Goes when this process does. */
  readonly folder: string;
  readonly program: Program;
  readonly args: readonly string[];
  /** What ends it at once. */
  readonly end: Signal;
  /** Who it runs as. */
  readonly identity?: { readonly uid?: number; readonly gid?: number };
}

/** A server and the shell that watches over it. */
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
      // An interrupt from the terminal is for the tests; the server ends when they have.
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

  /** At once, whatever it does; or as it does with another signal. */
  async kill(signal = this.#end): Promise<void> {
    if (!this.alive) return;
    const exit = once(this.#shell, 'exit');
    this.#shell.stdin?.end(`${signal}\n`);
    await exit;
  }
}
