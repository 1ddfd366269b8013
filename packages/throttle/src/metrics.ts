/** How a semaphore stands, as the service's figures for Prometheus say. */
export interface SemaphoreMetrics {
  /** The full count. */
  readonly max: number;
  /** The sum of the counts that are held. */
  readonly acquired: number;
  /** The sum of the counts that are waited for. */
  readonly pending: number;
  /** Whole seconds. */
  readonly longestPending: number;
}

const fields: Readonly<Record<string, keyof SemaphoreMetrics>> = {
  throttle_max: 'max',
  throttle_acquired: 'acquired',
  throttle_pending: 'pending',
  throttle_longest_pending_sec: 'longestPending',
};

/** A line of one sample with the label `semaphore`, alone. */
const sample = /^(\w+)\{semaphore="((?:[^"\\]|\\.)*)",?\}\s+(\S+)/;

/** By semaphore. Lines that say something else are not heard. */
export function metricsFrom(text: string): Map<string, SemaphoreMetrics> {
  const found = new Map<string, SemaphoreMetrics>();
  for (const line of text.split('\n')) {
    const [, metric = '', label = '', value] = sample.exec(line) ?? [];
    const field = Object.hasOwn(fields, metric) ? fields[metric] : undefined;
    if (field === undefined) continue;
    const name = unescaped(label);
    const known = found.get(name) ?? { max: 0, acquired: 0, pending: 0, longestPending: 0 };
    found.set(name, { ...known, [field]: Number(value) });
  }
  return found;
}

function unescaped(label: string): string {
  return label.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
}
