import { type ChildProcess, fork } from 'node:child_process';
import { get } from 'node:http';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Clients } from 'headgate/load';
import { holdPath } from '../hosts/host.ts';
import type { HostName } from '../hosts/index.ts';
import { progress } from '../runner.ts';
import { burstTime, load, openLoad } from './load.ts';
import { type Situation, type SituationName, situations } from './situation.ts';

/** A framework in a situation, whose middlewares are compared. */
export interface Group {
  framework: HostName;
  situation: SituationName;
  /** Distinguishes groups of the same framework and situation. */
  name?: string;
  cases: readonly string[];
}

/** CPU microseconds per request, and requests per second. */
export interface Round {
  cpu: number;
  rate: number;
}

/** The rounds of each case, or the error if it failed. */
export type Rounds = Map<string, Round[] | Error>;

const program = fileURLToPath(new URL('./server.js', import.meta.url));
const warmUps = 4;

/** The fraction of responses that may be others than intended, since a busy machine makes the default limit reject. */
const tolerated = 0.05;

/**
 * The flags of each runtime. Node has so much memory that its first full garbage collection comes after the warm-up: one
 * before that makes `process.nextTick` slower for as long as the process runs, by 3 µs a request in Fastify. It would hit
 * the servers that load the most code.
 */
const flags: Readonly<Record<string, readonly string[]>> = {
  deno: ['run', '--allow-all'],
  node: ['--initial-heap-size=256'],
};

/**
 * All servers of a group run at once and are loaded one at a time, round after round, in alternating order, so that
 * every ratio compares neighbours in time.
 *
 * @param runtime Path of the program that runs the servers. Default: that of this process.
 */
export async function loadRounds(
  group: Group,
  rounds: number,
  runtime = process.execPath,
): Promise<Rounds> {
  const servers: Server[] = [];
  const results: Rounds = new Map(group.cases.map((name) => [name, []]));
  try {
    for (const name of group.cases) {
      const server = new Server(group, name, runtime);
      servers.push(server);
      await note(results, server, () => server.start());
    }
    for (let round = 1 - warmUps; round <= rounds; round++) {
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const { framework, situation } = group;
        progress(`${framework}, ${situation}: round ${round}/${rounds}, ${server.name}`);
        await note(results, server, async (all) => {
          const figures = await server.load(round > 0);
          if (round > 0) all.push(figures);
        });
      }
    }
  } finally {
    for (const server of servers) server.stop();
    progress('');
  }
  return results;
}

/** A case that has failed is not repeated. */
async function note(results: Rounds, { name }: Server, step: (all: Round[]) => Promise<void>) {
  const all = results.get(name);
  if (!Array.isArray(all)) return;
  await step(all).catch((error: Error) => results.set(name, error));
}

class Server {
  #port = 0;
  /** Those of an open loop. They keep their connections from round to round. */
  readonly #clients = new Clients();

  readonly #child: ChildProcess;

  constructor(
    private readonly group: Group,
    readonly name: string,
    execPath: string,
  ) {
    const env = { ...process.env, NODE_ENV: 'production' };
    const execArgv = flags[basename(execPath)] ?? [];
    const args = [group.framework, name, group.situation];
    this.#child = fork(program, args, { env, execPath, execArgv: [...execArgv] });
  }

  async start(): Promise<void> {
    this.#port = await this.#answer();
    if (this.name !== 'bare' && situations[this.group.situation].held) await this.#hold();
  }

  /** @param isWarm Whether the outcome is checked. */
  async load(isWarm: boolean): Promise<Round> {
    const { offered, held }: Situation = situations[this.group.situation];
    const before = await this.#cpu();
    // An open loop sends too few requests for the compiler to optimise the code.
    const isOpen = 'rate' in offered && isWarm;
    const connections = 'rate' in offered ? 64 : offered.connections;
    const burst = await (isOpen
      ? openLoad(this.#clients, this.#port, offered.rate)
      : load(this.#port, connections));
    const spent = (await this.#cpu()) - before;
    if (burst.requests === 0) throw new Error('answers nothing');
    const expected = held && this.name !== 'bare' ? 1 : 0;
    if (isWarm && Math.abs(burst.refused / burst.requests - expected) > tolerated) {
      throw new Error(`${burst.refused} of ${burst.requests} were refused`);
    }
    return { cpu: spent / burst.requests, rate: burst.requests / burstTime };
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #cpu(): Promise<number> {
    this.#child.send('cpu');
    return this.#answer();
  }

  /** Holds the only permit for the rest of the run. */
  async #hold(): Promise<void> {
    const options = { port: this.#port, host: '127.0.0.1', path: holdPath };
    get(options, (response) => response.resume()).on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }

  #answer(): Promise<number> {
    return new Promise((resolve, reject) => {
      const died = (code: number | null) => reject(new Error(`${this.name} ended with ${code}`));
      this.#child.once('exit', died);
      this.#child.once('message', (value) => {
        this.#child.off('exit', died);
        resolve(value as number);
      });
    });
  }
}
