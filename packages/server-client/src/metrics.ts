/** The figures of a semaphore in the service's Prometheus metrics. */
export interface SemaphoreMetrics {
  /** The full count. */
  readonly max: number;
  /** The sum of the counts of acquired locks. */
  readonly acquired: number;
  /** The sum of the counts of pending locks. */
  readonly pending: number;
  /** The longest wait of a pending lock, in whole seconds. */
  readonly longestPending: number;
}

const fields: Readonly<Record<string, keyof SemaphoreMetrics>> = {
  throttle_max: 'max',
  throttle_acquired: 'acquired',
  throttle_pending: 'pending',
  throttle_longest_pending_sec: 'longestPending',
};

/** A sample whose only label is `semaphore`. */
const sample = /^(\w+)\{semaphore="((?:[^"\\]|\\.)*)",?\}\s+(\S+)/;

/** Parses the metrics by semaphore. Other lines are ignored. */
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
