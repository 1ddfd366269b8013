import { readdirSync, readFileSync } from 'node:fs';

/** The highest resident memory so far of the largest process of a group, in MB. From Linux's procfs. */
export function peakMemory(group) {
  const peaks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => peakIfIn(group, pid));
  return Math.max(...peaks) / 1_024;
}

/** Kilobytes; 0 if the process has ended, or belongs to another group. */
function peakIfIn(group, pid) {
  try {
    // The second field is a name in parentheses, which may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    if (Number(fields[2]) !== group) return 0;
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  } catch {
    return 0;
  }
}
