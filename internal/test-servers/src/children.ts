import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The IDs of a process's children, without grandchildren. */
export function childrenOf(parent: number): number[] {
  const pairs = process.platform === 'linux' ? ofLinux() : ofOthers();
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid);
}

type Pair = readonly [pid: number, parent: number];

/** Not every Linux has `ps`. */
function ofLinux(): Pair[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The second field is a name in parentheses, which may contain parentheses.
      const [, parent] =
        readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return [[Number(name), Number(parent)] as const];
    } catch {
      return [];
    }
  });
}

function ofOthers(): Pair[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout.split('\n').map((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return [pid ?? 0, parent ?? 0] as const;
  });
}
