import { execFile, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a burst of load got back. */
export interface Burst {
  requests: number;
  /** Answers other than 2xx. */
  refused: number;
}

type Load = (url: string, connections: number, seconds: number) => Promise<Burst>;

/** Both keep every connection busy, in a process of their own. */
const tools: Record<string, Load> = {
  async wrk(url, connections, seconds) {
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`];
    const { stdout } = await run('wrk', [...options, url]);
    const count = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0);
    return { requests: count(/(\d+) requests in/), refused: count(/Non-2xx[^:]*: (\d+)/) };
  },
  async autocannon(url, connections, seconds) {
    const program = createRequire(import.meta.url).resolve('autocannon');
    const options = ['--json', '-c', String(connections), '-d', String(seconds)];
    const { stdout } = await run(process.execPath, [program, ...options, url]);
    const result = JSON.parse(stdout) as { '2xx': number; non2xx: number };
    return { requests: result['2xx'] + result.non2xx, refused: result.non2xx };
  },
};

/** wrk takes less of the machine, where it is there; autocannon comes with the packages. */
export const loadTool = spawnSync('wrk', ['-v']).error ? 'autocannon' : 'wrk';
export const load = tools[loadTool] as Load;
