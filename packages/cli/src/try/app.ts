import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { CommandError } from '../output.ts';
import type { Generator, Probe } from './generator.ts';
import { hostOf } from './options.ts';
import { endTree, MARK, portsOf, processesOf, type Tree } from './process-tree.ts';

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
const PROBE_TIMEOUT = 5_000;
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
  #failed: CommandError | undefined;
  /** Resolves to how the command has ended, when its output has been read. */
  readonly #ended: Promise<string>;

  /** @throws CommandError if something listens on the port already. */
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
    const { pid } = app.#child;
    if (pid !== undefined) await generator.do('guard', pid);
    return app;
  }

  private constructor(start: Start) {
    this.#start = start;
    const { command, url, env, mark } = start;
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, {
      env: { ...process.env, ...env, PORT: portOf(url), [MARK]: mark },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const read = (chunk: Buffer) => {
      this.isHooked ||= /headgate: (limits|only simulates)/.test(this.#output + chunk);
      this.#output = (this.#output + chunk).slice(-MAX_OUTPUT);
    };
    this.#child.stdout?.on('data', read);
    this.#child.stderr?.on('data', read);
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', ({ message }) => {
        this.#failed = refused(`the command cannot be started: ${message}`);
        resolve(message);
      });
      this.#child.on('exit', async (code, signal) => {
        await setTimeout(OUTPUT_GRACE);
        resolve(`ended (${signal ?? code})`);
      });
    });
  }

  get #tree(): Tree {
    return { mark: this.#start.mark, leader: this.#child.pid };
  }

  /** Ends what the command has started, if it still runs. */
  stop(): Promise<void> {
    return endTree(this.#tree, GRACE);
  }

  /** @throws CommandError if all processes of the command have ended, or it has not started. */
  async checkRuns(when: string): Promise<void> {
    if (processesOf(this.#tree).length > 0) return;
    const ended = await this.#ended;
    throw (
      this.#failed ?? refused(`the command ${ended} ${when}. Its last output:\n${this.#lastOutput}`)
    );
  }

  /**
   * Waits until the app answers.
   *
   * @throws CommandError if it ends, does not answer in time, or listens on another port.
   */
  async answers(generator: Generator, progress: (text: string) => void): Promise<Probe[]> {
    const { url, maxStart } = this.#start;
    const begin = performance.now();
    let elsewhere: number | undefined;
    for (;;) {
      const waited = performance.now() - begin;
      progress(`waiting for ${url.href} (${Math.round(waited / 1_000)} s)`);
      await this.checkRuns(`before it answered at ${url.href}`);
      const probes = await generator.do('probe', Math.min(PROBE_TIMEOUT, maxStart));
      if (probes.every(({ status }) => status !== 0 && status !== 503)) return probes;
      const ports = (await isInUse(url)) ? [] : portsOf(this.#tree);
      elsewhere = ports.length === 0 ? undefined : (elsewhere ?? waited);
      if (waited - (elsewhere ?? waited) > MAX_ELSEWHERE)
        throw refused(
          `nothing listens on port ${portOf(url)}; the command listens on ${ports.join(', ')}. It ignores PORT: use its own port in the URL.`,
        );
      if (waited > maxStart) throw refused(this.#whyNot(probes[0], await isInUse(url)));
      await setTimeout(100);
    }
  }

  #whyNot(probe: Probe | undefined, isListening: boolean): string {
    const { url, maxStart } = this.#start;
    const within = `within ${maxStart / 1_000} s`;
    if (probe?.status)
      return `${url.href} still answers ${probe.status} after ${maxStart / 1_000} s.`;
    if (isListening) return `${url.href} accepts connections, but sends no answer ${within}.`;
    return `nothing answers at ${url.href} ${within}: the command listens on no port. Its last output:\n${this.#lastOutput}`;
  }

  /** The error, if it has printed one, or its last lines. */
  get #lastOutput(): string {
    const lines = this.#output.trim().split('\n');
    const error = lines.filter((line) => /^\s*(\w*Error\b.*:|Error$)/.test(line)).slice(-1);
    const shown = error.length > 0 ? error : lines.slice(-8);
    return shown.map((line) => `  | ${line.trimEnd()}`).join('\n');
  }
}

const refused = (message: string) => new CommandError(`try: ${message}`, 1);

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80');

/** Whether something accepts connections there. */
function isInUse(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostOf(url), port: Number(portOf(url)) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
