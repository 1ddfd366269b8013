import type { OperatorBounds } from './bounds.ts';
import type { Sample } from './history.ts';
import type { Access } from './options.ts';
import type { Reversion } from './reversions.ts';
import type { LimitView } from './view.ts';

/** The state of the limits at one time: what each message of the stream has. */
export interface Snapshot {
  /** Milliseconds of the process's clock. */
  readonly now: number;
  readonly limits: readonly LimitView[];
  /** The limits that return to an earlier value, by their id. */
  readonly reversions: Readonly<Record<number, Reversion>>;
  /** When paused and drained limits resume, by their id. */
  readonly resumptions: Readonly<Record<number, Pick<Reversion, 'at'>>>;
}

/** What the page receives first, and in each answer to a poll. */
export interface PageState extends Snapshot {
  /** Identifies the process, so that a page notices another one. */
  readonly instance: string;
  readonly pid: number;
  readonly access: Exclude<Access, false>;
  /** What a page must send to operate; only for operators. */
  readonly token: string | undefined;
  /** By the name of the limit; only for operators. */
  readonly bounds: Readonly<Record<string, OperatorBounds>> | undefined;
  /** By the id of the limit. */
  readonly history: Readonly<Record<number, readonly Sample[]>>;
}
