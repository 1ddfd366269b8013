import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type {
  Clock,
  Guard,
  LimitFactory,
  LocalLimiter,
  Observer,
  Order,
  Outcome,
  Permit,
  Priority,
  Rejection,
  SharedOptions,
} from '@headgate/core';
import type { Handle } from '@headgate/core/http';

/** What the suite must know of a framework, and how it builds apps with it. */
export interface Framework<L extends SuiteLimit = SuiteLimit> {
  /** Names the framework and its version in the tests' names. */
  readonly name: string;
  readonly can: Capabilities;
  /** Makes the adapter's middleware; `adapted` turns the options' functions into those that it calls. */
  limit(options: SuiteOptions): L;
  /** Builds an app and returns what `http.createServer` calls for each request. */
  listener(app: SuiteApp<L>): RequestListener;
}

export interface Capabilities {
  /** The framework lets a middleware know when the handler after it has settled. */
  readonly tracksHandlers: boolean;
  /** Its listener serves `http2.createServer` as well. */
  readonly http2: boolean;
}

/** The adapter's middleware, of which the suite uses the handle. */
export type SuiteLimit = Handle;

/** What an app consists of, in the order in which requests meet it. */
export interface SuiteApp<L extends SuiteLimit = SuiteLimit> {
  readonly steps: readonly Step<L>[];
  /** Is told what reaches the framework's error handling, which then answers 500. */
  onError(error: unknown): void;
}

export type Step<L extends SuiteLimit = SuiteLimit> =
  | { readonly use: L }
  /** A router under a prefix. */
  | { readonly mount: string; readonly steps: readonly Step<L>[] }
  /** Where the path is missing it handles everything; the method is GET where that is missing. */
  | { readonly handle: SuiteHandler; readonly method?: Method; readonly path?: string };

export type Method = 'GET' | 'POST';

/** Answers through its context, now or later. What it throws or rejects with goes to the framework's error handling. */
export type SuiteHandler = (context: SuiteContext) => void | Promise<void>;

/** A request and the way to answer it, whatever the framework. */
export interface SuiteContext {
  readonly method: string;
  /** As the client wrote it, below no mount point. */
  readonly path: string;
  header(name: string): string | undefined;
  /** Reads the request's body, as text. */
  body(): Promise<string>;
  /** What the adapter gives the handler. */
  readonly admission: SuiteAdmission | undefined;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Answers as the framework's users do; where the framework sends what a handler has left, that is when it settles. */
  send(status: number, body?: string, headers?: Readonly<Record<string, string>>): void;
  stream(body: Readable, headers?: Readonly<Record<string, string>>): void;
}

export interface SuiteAdmission {
  readonly permit?: Permit | undefined;
  readonly waited: number;
  /** In degraded mode. */
  readonly rejection?: Rejection | undefined;
}

export type OnReject = (
  rejection: Rejection,
  context: SuiteContext,
  next: () => unknown,
) => unknown;

type Ask<T> = (context: SuiteContext) => T;

interface LimitRule extends SharedOptions {
  readonly name?: string;
  readonly limit?: number | LimitFactory | Ask<number>;
  readonly limiter?: LocalLimiter;
  readonly key?: Ask<string | undefined>;
  readonly route?: string;
  readonly weight?: number | Ask<number>;
  readonly shares?: Readonly<Record<string, number>>;
  readonly shareBy?: Ask<string | undefined>;
  readonly queueLimit?: number;
  readonly queueWeight?: number;
  readonly statusCode?: number;
}

/** The options of `concurrencyLimit`, for neutral requests. */
export interface SuiteOptions extends LimitRule {
  readonly limits?: readonly LimitRule[];
  readonly queueTimeout?: number;
  readonly skip?: Ask<boolean>;
  readonly onReject?: OnReject;
  readonly order?: Order;
  readonly priority?: Ask<Priority>;
  readonly fairBy?: Ask<string>;
  readonly guard?: Guard;
  /** By the status of the response. */
  readonly classify?: (status: number) => Outcome;
  readonly mode?: 'enforce' | 'shadow';
  readonly headers?: boolean;
  readonly maxHold?: number;
  readonly onDisconnect?: 'wait' | 'release';
  readonly abandonAfter?: number;
  readonly observer?: Observer;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/**
 * The options as the adapter takes them: `read` makes a context of what the framework calls a request, `reject` makes
 * the framework's `onReject` of the neutral one, `statusOf` tells the status of what its `classify` gets. What is no function stays as it is, for the adapter to refuse.
 */
export function adapted<Adapted, Args extends readonly unknown[], Reply>(
  options: SuiteOptions,
  read: (...args: Args) => SuiteContext,
  reject: (onReject: OnReject) => unknown,
  statusOf: (reply: Reply) => number,
): Adapted {
  const { onReject, classify, limits, ...rest } = options;
  const adaptedOptions = asking(rest, read);
  if (limits !== undefined) adaptedOptions.limits = limits.map((rule) => asking(rule, read));
  if (onReject !== undefined) {
    adaptedOptions.onReject = typeof onReject === 'function' ? reject(onReject) : onReject;
  }
  if (classify !== undefined) {
    adaptedOptions.classify =
      typeof classify === 'function' ? (reply: Reply) => classify(statusOf(reply)) : classify;
  }
  return adaptedOptions as Adapted;
}

const asks = ['key', 'weight', 'limit', 'skip', 'priority', 'fairBy', 'shareBy'];

function asking<Args extends readonly unknown[]>(
  options: object,
  read: (...args: Args) => SuiteContext,
): Record<string, unknown> {
  const entries = Object.entries(options).map(([name, value]) => {
    if (typeof value !== 'function' || !asks.includes(name)) return [name, value];
    return [name, (...args: Args) => value(read(...args))];
  });
  return Object.fromEntries(entries);
}
