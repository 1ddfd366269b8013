import { type Choice, choice, type Range, range } from './ranges.ts';

/** What a user can change. Durations are in milliseconds. */
export interface Settings {
  /** Number of requests that the server works on at once. */
  readonly capacity: number;
  /** Calls per second, as a multiple of what the server can answer. */
  readonly load: number;
  /** The load from second 5 to second 10; 0: no spike. */
  readonly spike: number;
  /** The time after which a client gives up. */
  readonly timeout: number;
  readonly retries: number;
  /** Percentage of the calls that are critical. */
  readonly critical: number;
  /** The limit whose code is shown. */
  readonly limit: 'none' | 'fixed' | 'default';
  readonly order: 'fifo' | 'lifo' | 'byPriority' | 'fair';
  /** The value of the fixed limit. */
  readonly fixed: number;
  readonly queueLimit: number;
  readonly queueTimeout: number;
}

type Setting = keyof Settings;

export type RangeName = {
  [Name in Setting]: Settings[Name] extends number ? Name : never;
}[Setting];
export type ChoiceName = Exclude<Setting, RangeName>;

/** Mean duration of a request's work in milliseconds. */
export const MEAN_WORK_MS = 100;

/** Requests per second that the server can answer. */
export function perSecondOf({ capacity }: Pick<Settings, 'capacity'>): number {
  return (1000 * capacity) / MEAN_WORK_MS;
}

const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
const times = (load: number) => `${load} × capacity`;

export const ranges: Readonly<Record<RangeName, Range>> = {
  capacity: range(
    'Capacity',
    { min: 2, max: 20, step: 1, initial: 10 },
    (capacity) => `${capacity} at once, ${perSecondOf({ capacity })} per second`,
  ),
  load: range('Load', { min: 0.1, max: 10, step: 0.1, initial: 0.8 }, times),
  spike: range('Spike, second 5 to 10', { min: 0, max: 10, step: 0.5, initial: 5 }, (load) =>
    load === 0 ? 'none' : times(load),
  ),
  timeout: range(
    'Clients give up after',
    { min: 200, max: 5000, step: 100, initial: 1000 },
    seconds,
  ),
  retries: range('Retries', { min: 0, max: 3, step: 1, initial: 2 }),
  critical: range(
    'Critical calls',
    { min: 0, max: 50, step: 5, initial: 10 },
    (part) => `${part} %`,
  ),
  fixed: range('Fixed limit', { min: 1, max: 100, step: 1, initial: 10 }),
  queueLimit: range('Fixed limit: queue limit', { min: 0, max: 500, step: 10, initial: 200 }),
  queueTimeout: range(
    'Fixed limit: queue timeout',
    { min: 0, max: 5000, step: 100, initial: 500 },
    seconds,
  ),
};

export const choices: { readonly [Name in ChoiceName]: Choice<Settings[Name]> } = {
  limit: choice('Show the code of', 'default', {
    none: 'no limit',
    fixed: 'the fixed limit',
    default: 'the default limit',
  }),
  order: choice('Queue order of both limits', 'fifo', {
    fifo: 'first in, first out',
    lifo: 'last in, first out',
    byPriority: 'critical calls first',
    fair: 'fair between tenants',
  }),
};

export const rangeNames = Object.keys(ranges) as RangeName[];
export const choiceNames = Object.keys(choices) as ChoiceName[];

export const initialSettings = Object.fromEntries(
  Object.entries({ ...ranges, ...choices }).map(([name, { initial }]) => [name, initial]),
) as unknown as Settings;
