import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { CommandError } from '../output.ts';
import type { Generator, Probes } from './generator.ts';
import { endTree, MARK, openMark, portsOf, processesOf, type Tree } from './process-tree.ts';

/** What the command that serves the app is given. */
export interface Start {
  readonly url: URL;
  readonly command: readonly string[];
  readonly mark: string;
  /** Added to the environment. */
  readonly env: { readonly [name: string]: string | undefined };
  /** Milliseconds in which the app must answer. */
  readonly maxStart: number;
}

/** Milliseconds for an app to end by itself. */
const GRACE = 1_500;
/** If the app listens for this long, but only on other ports, it ignores `PORT`. */
const MAX_ELSEWHERE = 3_000;
export const PROBE_TIMEOUT = 5_000;
/** Milliseconds for what it has written at its end; a process that it has left may hold the pipe. */
const OUTPUT_GRACE = 300;
const MAX_OUTPUT = 4_000;

/** A server started by a command, in a process group of its own. */
export class App {
  readonly #child: ChildProcess;
  readonly #start: Start;
  #output = '';
  /** Whether the hook has said that it limits requests. */
  isHooked = false;

  /** @throws CommandError if something listens on the port already, or the command cannot be started. */
  static async start(start: Start, generator: Generator): Promise<App> {
    const { url } = start;
    const from = performance.now();
    // The app of the pass before may need a moment.
    while (await isInUse(url)) {
      if (performance.now() - from > GRACE)
        throw refused(
          `something listens on port ${portOf(url)} already, and would be measured instead. End it, or use --running.`,
        );
      await setTimeout(100);
    }
    const app = new App(start);
    await once(app.#child, 'spawn').catch(({ code, message }) => {
      const why = code === 'ENOENT' ? `there is no program "${start.command[0]}"` : message;
      throw refused(`the command cannot be started: ${why}`);
    });
    await generator.do('guard', app.#child.pid as number);
    return app;
  }

  private constructor(start: Start) {
    this.#start = start;
    const { command, url, env, mark } = start;
    const [program = '', ...args] = command;
    const marked = openMark(mark);
    this.#child = spawn(program, args, {
      env: { ...process.env, ...env, PORT: `${portOf(url)}`, [MARK]: mark },
      detached: true,
      // At the place of `MARK_FD`, a file by which its processes are found.
      stdio: ['ignore', 'pipe', 'pipe', marked ?? 'ignore'],
    });
    if (marked !== undefined) closeSync(marked);
    const read = (chunk: Buffer) => {
      this.isHooked ||= /headgate: (limits|only simulates)/.test(this.#output + chunk);
      this.#output = (this.#output + chunk).slice(-MAX_OUTPUT);
    };
    this.#child.stdout?.on('data', read);
    this.#child.stderr?.on('data', read);
  }

  get #tree(): Tree {
    return { mark: this.#start.mark, leader: this.#child.pid };
  }

  /** Ends what the command has started, if it still runs. */
  stop(): Promise<void> {
    return endTree(this.#tree, GRACE);
  }

  /** @throws CommandError if all processes of the command have ended. */
  async checkRuns(when: string): Promise<void> {
    if (processesOf(this.#tree).length > 0) return;
    if ((this.#child.exitCode ?? this.#child.signalCode) === null) await once(this.#child, 'exit');
    await setTimeout(OUTPUT_GRACE);
    // One that it has left may have been too new to be found.
    if (processesOf(this.#tree).length > 0) return;
    const { signalCode, exitCode } = this.#child;
    throw refused(`the command ended (${signalCode ?? exitCode}) ${when}. ${this.#lastOutput}`);
  }

  /**
   * Waits until the app answers.
   *
   * @throws CommandError if it ends, does not answer in time, or listens on another port.
   */
  async answers(generator: Generator, progress: (text: string) => void): Promise<Probes> {
    const { url, maxStart } = this.#start;
    const begin = performance.now();
    let elsewhere: number | undefined;
    for (;;) {
      const waited = performance.now() - begin;
      progress(`waiting for ${url.href} (${Math.round(waited / 1_000)} s)`);
      await this.checkRuns(`before it answered at ${url.href}`);
      const probes = await generator.do('probe', Math.min(PROBE_TIMEOUT, maxStart));
      if (probes.every(({ status }) => status !== 0 && status !== 503)) return probes;
      const isListening = await isInUse(url);
      const ports = isListening ? [] : portsOf(this.#tree);
      elsewhere = ports.length === 0 ? undefined : (elsewhere ?? waited);
      if (waited - (elsewhere ?? waited) > MAX_ELSEWHERE)
        throw refused(
          `nothing listens on port ${portOf(url)}; the command listens on ${ports.join(', ')}. It ignores PORT: use its own port in the URL.`,
        );
      if (waited > maxStart) throw refused(this.#whyNot(probes[0]?.status, isListening));
      await setTimeout(100);
    }
  }

  #whyNot(status: number | undefined, isListening: boolean): string {
    const { url, maxStart } = this.#start;
    const seconds = `${maxStart / 1_000} s`;
    if (status) return `${url.href} still answers ${status} after ${seconds}.`;
    if (isListening)
      return `${url.href} accepts connections, but sends no answer within ${seconds}. Does it speak ${url.protocol === 'http:' ? 'https' : 'http'}?`;
    return `nothing answers at ${url.href} within ${seconds}: the command listens on no port. ${this.#lastOutput}`;
  }

  /** The error, if it has printed one, or its last lines. */
  get #lastOutput(): string {
    if (this.#output.trim() === '') return 'It has printed nothing.';
    const lines = this.#output.trim().split('\n');
    const error = lines.findLast((line) => /^\s*(\w*Error\b.*:|Error$)/.test(line));
    const shown = error === undefined ? lines.slice(-8) : [error];
    return `Its last output:\n${shown.map((line) => `  | ${line.trimEnd()}`).join('\n')}`;
  }
}

const refused = (message: string) => new CommandError(message, 1);

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80);

/** Whether something accepts connections there. */
function isInUse(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: urlToHttpOptions(url).hostname as string, port: portOf(url) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
