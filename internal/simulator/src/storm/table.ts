import { markdownTable } from '../markdown.ts';
import type { Contender } from './contenders.ts';
import type { Result } from './storm.ts';
import type { Outage } from './upstream.ts';

/** The goals of a client of Headgate: seconds until it recovers, and requests for each call during the outage. */
const [MAX_RECOVERY, MAX_REQUESTS] = [5, 1.2];

const titles: Readonly<Record<Outage, string>> = { errors: 'It answers 503', hang: 'It hangs' };

/** Whether a client of Headgate reaches its goals; true for others. */
export function reachesGoals({ name }: Contender, results: readonly Result[]): boolean {
  if (!name.includes('headgate')) return true;
  return results.every(
    ({ recovery, requests }) => recovery <= MAX_RECOVERY && requests <= MAX_REQUESTS,
  );
}

/** @param results One for each kind of outage. */
export function rowOf({ name }: Contender, results: readonly Result[]): string[] {
  return [name, ...results.flatMap(cellsOf)];
}

function cellsOf({ requests, recovery }: Result): string[] {
  const seconds = recovery === Infinity ? '**never**' : `${recovery} s`;
  return [`${(100 * requests).toFixed(0)} %`, seconds];
}

export function tableOf(outages: readonly Outage[], rows: readonly (readonly string[])[]): string {
  const head = outages.flatMap((outage) => [`${titles[outage]}: requests`, 'answered again']);
  return markdownTable(['', ...head], rows);
}
