import type { OperatorBounds } from './bounds.ts';
import type { Sample } from './history.ts';
import type { Access } from './options.ts';
import type { Reversion } from './reversions.ts';
import type { LimitView } from './view.ts';

/** The state of the limits at one time. Each message of the stream contains one. */
export interface Snapshot {
  /** Milliseconds of the process's clock. */
  readonly now: number;
  readonly limits: readonly LimitView[];
  /** The limits that will return to an earlier value, by their id. */
  readonly reversions: Readonly<Record<number, Reversion>>;
  /** When paused and rejecting limits resume, by their id. */
  readonly resumptions: Readonly<Record<number, Pick<Reversion, 'at'>>>;
}

/** The state that the page receives first, and in each answer to a poll. */
export interface PageState extends Snapshot {
  /** Identifies the process, so that the page notices when another one answers. */
  readonly instance: string;
  readonly pid: number;
  readonly access: Exclude<Access, false>;
  /** The token that the page must send to change limits. Only operators receive it. */
  readonly token: string | undefined;
  /** The bounds by the name of the limit. Only operators receive them. */
  readonly bounds: Readonly<Record<string, OperatorBounds>> | undefined;
  /** By the id of the limit. */
  readonly history: Readonly<Record<number, readonly Sample[]>>;
}
