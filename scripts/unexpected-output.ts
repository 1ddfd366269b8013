import { ChildProcess } from 'node:child_process';
import { Console } from 'node:console';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { warned } from '../packages/core/src/warning.ts';

/**
 * Captures the output of this process, and of children with its streams, while a test file runs. The output is not
 * printed, and fails a test. A test that causes output suppresses it, with `vi.spyOn(console, 'error')` or
 * `vi.spyOn(process, 'emitWarning')`, and asserts it.
 */
class UnexpectedOutput {
  isCollecting = false;
  #text = '';

  constructor() {
    for (const stream of [process.stdout, process.stderr]) this.#intercept(stream);
    globalThis.console = new Console(process.stdout, process.stderr);
    // Replaces Node's own listener, which writes directly to the streams.
    process.removeAllListeners('warning');
    process.on('warning', ({ stack }) => process.stderr.write(`${stack}\n`));
    readChildren();
  }

  /** @throws Error if there was output. */
  check(): void {
    const text = this.#text.trimEnd();
    this.#text = '';
    if (text !== '') throw new Error(`unexpected output: ${text}`);
  }

  #intercept(stream: NodeJS.WriteStream): void {
    const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean;
    stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      // Between files output is printed, so that nothing is lost.
      if (!this.isCollecting) return write(chunk, ...rest);
      this.#text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      const written = rest.at(-1);
      if (typeof written === 'function') nextTick(written);
      return true;
    };
  }
}

interface SpawnOptions {
  readonly stdio?: string | readonly unknown[];
}

/** A child that would inherit stdout or stderr gets a pipe instead, which is read and printed here. */
function readChildren(): void {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: SpawnOptions): number };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, { stdio = 'pipe', ...options }) {
    const wanted = typeof stdio === 'string' ? Array(3).fill(stdio) : stdio;
    const isRead = (fd: number) => [1, 2].includes(fd) && ['inherit', fd].includes(wanted[fd]);
    const given = wanted.map((kind, fd) => (isRead(fd) ? 'pipe' : kind));
    const error = spawn.call(this, { ...options, stdio: given });
    if (isRead(1)) this.stdout?.on('data', (chunk) => process.stdout.write(chunk));
    if (isRead(2)) this.stderr?.on('data', (chunk) => process.stderr.write(chunk));
    return error;
  };
}

const { nextTick } = process;
const key = Symbol.for('headgate.unexpected-output');
const processes = globalThis as { [key]?: UnexpectedOutput };
// Without isolation, a process executes this file for each test file.
processes[key] ??= new UnexpectedOutput();
const output = processes[key];
output.isCollecting = true;

let running = 0;

beforeEach(() => {
  // A process emits each of Headgate's warnings once. Here a test sees a warning regardless of earlier tests, unless
  // they are still running.
  if (running === 0) warned.clear();
  running += 1;
});

afterEach(async () => {
  running -= 1;
  // Node emits a warning one tick after its cause.
  await new Promise<void>((resolve) => nextTick(resolve));
  // Of concurrent tests, the first one to end fails.
  output.check();
});

afterAll(() => {
  output.isCollecting = false;
  output.check();
});
