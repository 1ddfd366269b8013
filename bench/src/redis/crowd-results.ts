import { median, pairedRatios } from '../stats.ts';
import type { Crowd, CrowdFigures } from './crowd-case.ts';

/** The results of a crowd with one contender. */
export interface CrowdRuns {
  /** One entry per round. */
  rounds: CrowdFigures[];
  /** Measured through the proxy. */
  counted?: CrowdFigures;
}

/** The results of a crowd with all contenders. */
export interface CrowdResults extends Crowd {
  runs: Map<string, CrowdRuns>;
  failures: string[];
}

export const title = ({ processes, work }: Crowd): string => `${processes} × 50, ${work} ms`;

/** The median of the rounds. */
export function figure(results: CrowdResults, name: string, what: keyof CrowdFigures): number {
  const rounds = results.runs.get(name)?.rounds ?? [];
  return median(rounds.map((round) => round[what] as number));
}

export function rateOver(results: CrowdResults, name: string, base: string): number {
  const rates = (of: string) => results.runs.get(of)?.rounds.map(({ rate }) => rate) ?? [];
  return median(pairedRatios(rates(name), rates(base)));
}

/** Lease operations per acquire if they are counted, otherwise client requests. */
export function commands(results: CrowdResults, name: string): number {
  const counted = results.runs.get(name)?.counted;
  if (counted === undefined) return Number.NaN;
  const operations = Object.values(counted.operations);
  return operations.length > 0 ? operations.reduce((sum, each) => sum + each) : counted.commands;
}
