import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Milliseconds from SIGTERM until a process stops listening. */
const REMOVAL = '1500';

/** Ends a process when this one is killed. */
const preload =
  "data:text/javascript,process.channel.unref();process.once('disconnect',()=>process.exit(1))";

interface Instance {
  readonly child: ChildProcess;
  readonly lines: string[];
}

/** The processes of an app, each with an address of its own. */
export class Fleet {
  readonly #instances: Instance[] = [];

  private constructor(
    private readonly file: string,
    private readonly addresses: readonly (string | number)[],
  ) {}

  static async start(file: string, addresses: readonly (string | number)[]): Promise<Fleet> {
    const fleet = new Fleet(file, addresses);
    await Promise.all(addresses.map((_, index) => fleet.#launch(index)));
    return fleet;
  }

  /**
   * Replaces one process after the other.
   *
   * @param isInUse Resolves when the process with this ID has answered a request.
   */
  async restart(signal: NodeJS.Signals, isInUse: (pid: number) => Promise<void>): Promise<void> {
    for (const index of this.addresses.keys()) {
      const { child, lines } = this.#instances[index] as Instance;
      child.kill(signal);
      await once(child, 'close');
      if (signal === 'SIGTERM') {
        assert.equal(child.exitCode, 0, 'the process ends by itself');
        assert.deepEqual(lines.slice(1), ['closed, 0 unfinished']);
      }
      await isInUse(await this.#launch(index));
    }
  }

  stop(): void {
    for (const { child } of this.#instances) child.kill('SIGKILL');
  }

  /** Starts a process, and resolves to its ID when it listens. */
  async #launch(index: number): Promise<number> {
    const address = this.addresses[index];
    // A process that was killed leaves its socket.
    if (typeof address === 'string') await rm(address, { force: true });
    const child = spawn(process.execPath, [`--import=${preload}`, this.file], {
      env: { ...process.env, PORT: `${address}`, REMOVAL },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const lines: string[] = [];
    const output = createInterface({ input: child.stdout as Readable }).on('line', (line) =>
      lines.push(line),
    );
    this.#instances[index] = { child, lines };
    await Promise.race([once(output, 'line'), once(child, 'exit')]);
    assert.equal(child.exitCode, null, 'the process starts');
    return child.pid as number;
  }
}
