import { readFileSync } from 'node:fs';
import { childrenOf } from '@headgate/test-servers';

/** Linux counts the time of processes in ticks of this many milliseconds, whatever its timer's frequency. */
const tick = 10;

/** The processor time of a process and its children, running and ended, in milliseconds; from Linux's procfs. */
export function cpuTime(pid: number): number {
  const running = childrenOf(pid).map((child) => ticks(child, 2));
  return tick * running.reduce((sum, each) => sum + each, ticks(pid, 4));
}

/** @param fields 2: the process's own user and system time; 4: also that of its children that have ended. */
function ticks(pid: number, fields: 2 | 4): number {
  try {
    // The second field is a name in parentheses, which may contain spaces; the times are the fields from 14.
    const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return words.slice(11, 11 + fields).reduce((sum, each) => sum + Number(each), 0);
  } catch {
    // The child has ended meanwhile.
    return 0;
  }
}
