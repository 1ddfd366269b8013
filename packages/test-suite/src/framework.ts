import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import type { Readable } from 'node:stream';
import type {
  Clock,
  DistributedLimiterOptions,
  Guard,
  LimitFactory,
  LocalLimiter,
  Order,
  Outcome,
  Permit,
  Priority,
  Rejection,
} from '@headgate/core';
import type { HttpHandle } from '@headgate/core/http';

/** What the suite needs from a framework: its capabilities, and how to build apps with it. */
export interface FrameworkDriver<L extends SuiteLimit = SuiteLimit> {
  /** The framework and its version, for the titles of the tests. */
  readonly name: string;
  readonly can: FrameworkCapabilities;
  /** Makes the adapter's middleware; `adapted` converts the suite's options for it. */
  limit(options: SuiteOptions): L;
  /** Builds an app and returns its listener for `http.createServer`. The README says what the app must support. */
  listener(app: SuiteApp<L>): RequestListener;
  /**
   * Builds an app on another HTTP/1.1 server than that of `node:http`, such as `Bun.serve`. Returns an object that
   * starts and stops it: the suite calls `listen`, `address` and `close`. Default: `http.createServer` with `listener`.
   */
  server?(app: SuiteApp<L>): Server;
}

interface FrameworkCapabilities {
  /** Whether middleware is notified when the handler after it has settled, and the adapter calls `trackHandler`. */
  readonly tracksHandlers: boolean;
  /** Whether its listener works with `http2.createServer`. */
  readonly http2: boolean;
  /**
   * Whether the adapter itself writes the response to a rejection, in the format that the client accepts, and an error
   * of a handler may set header fields. False if the framework writes both responses. Default: true.
   */
  readonly formatsRejections?: boolean;
  /**
   * Whether the adapter knows which route handles a request, for its `kind`. If not, the driver's router must set
   * `admission.permit.kind`. Default: true.
   */
  readonly knowsRoutes?: boolean;
  /**
   * Whether the adapter sees connections, and the messages of a Node server. If it has only web-standard requests and
   * responses, a response ends with its body, and connections and uploads are up to the server. Default: true.
   */
  readonly seesConnections?: boolean;
}

/** The adapter's middleware; the suite uses only its handle. */
export type SuiteLimit = HttpHandle;

/** The middleware and handlers of an app, in the order in which a request reaches them. */
export interface SuiteApp<L extends SuiteLimit = SuiteLimit> {
  readonly steps: readonly Step<L>[];
  /**
   * Must be called with each error that reaches the framework's error handling, which then responds with the error's
   * `status` and `headers`, or with 500.
   */
  onError(error: unknown): void;
}

export type Step<L extends SuiteLimit = SuiteLimit> =
  | { readonly use: L }
  /** A router mounted at a prefix, which may contain parameters: `/:tenant/reports`. */
  | { readonly mount: string; readonly steps: readonly Step<L>[] }
  /** Without a path, it handles every request. The default method is GET, which includes HEAD. */
  | { readonly handle: SuiteHandler; readonly method?: Method; readonly path?: string };

type Method = 'GET' | 'POST';

/**
 * Responds through its context, now or later. If it throws or rejects, the error goes to the framework's error
 * handling.
 */
export type SuiteHandler = (context: SuiteContext) => void | Promise<void>;

/** A request and its response, independent of the framework. */
export interface SuiteContext {
  readonly method: string;
  /** The full path, as the client sent it. */
  readonly path: string;
  header(name: string): string | undefined;
  /** Reads the request's body as text. */
  body(): Promise<string>;
  /** The admission that the adapter passes to the handler. */
  readonly admission: SuiteAdmission | undefined;
  /** Undefined on a server other than Node's, as is `outgoing`. */
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Responds as users of the framework do. Some frameworks send the response only when the handler settles. */
  send(status: number, body?: string, headers?: Readonly<Record<string, string>>): void;
  stream(body: Readable, headers?: Readonly<Record<string, string>>): void;
}

interface SuiteAdmission {
  readonly permit?: Permit | undefined;
  readonly waited: number;
  /** Set in degraded mode. */
  readonly rejection?: Rejection | undefined;
}

export type OnReject = (
  rejection: Rejection,
  context: SuiteContext,
  next: () => unknown,
) => unknown;

type DistributedOptions = {
  readonly [Name in 'store' | 'onStoreError']?: DistributedLimiterOptions[Name] | undefined;
};

type Ask<T> = (context: SuiteContext) => T;

interface SuiteLimitOptions extends DistributedOptions {
  readonly name?: string;
  readonly limit?: number | LimitFactory | Ask<number>;
  readonly limiter?: LocalLimiter;
  readonly key?: Ask<string | undefined>;
  readonly route?: string;
  readonly weight?: number | Ask<number>;
  readonly shares?: {
    readonly parts?: Readonly<Record<string, number>>;
    readonly by: Ask<string | undefined>;
  };
  readonly queueLimit?: number;
  readonly queueWeight?: number;
  readonly statusCode?: number;
}

/** The options of `concurrencyLimit`, with framework-independent contexts. */
export interface SuiteOptions extends SuiteLimitOptions {
  readonly limits?: readonly SuiteLimitOptions[];
  readonly queueTimeout?: number;
  readonly skip?: Ask<boolean>;
  readonly onReject?: OnReject;
  readonly order?: Order;
  readonly priority?: Ask<Priority | undefined>;
  readonly fairBy?: Ask<string | undefined>;
  readonly guard?: Guard;
  /** Classifies by the status of the response. */
  readonly classify?: (status: number) => Outcome;
  readonly mode?: 'enforce' | 'shadow';
  readonly headers?: boolean;
  readonly maxHold?: number;
  readonly onDisconnect?: 'wait' | 'release';
  readonly clock?: Clock;
}

/**
 * Converts the suite's options to the adapter's. `read` creates a context from the framework's request. `reject`
 * creates the framework's `onReject` from the suite's. `statusOf` reads the status from the argument of `classify`.
 * Invalid values are passed on, so that the adapter rejects them.
 */
export function adapted<Adapted, Args extends readonly unknown[], Reply>(
  options: SuiteOptions,
  read: (...args: Args) => SuiteContext,
  reject: (onReject: OnReject) => unknown,
  statusOf: (reply: Reply) => number,
): Adapted {
  const { onReject, classify, limits, ...rest } = options;
  const adaptedOptions = adaptFunctions(rest, read);
  if (limits !== undefined)
    adaptedOptions.limits = limits.map((rule) => adaptFunctions(rule, read));
  if (onReject !== undefined) {
    adaptedOptions.onReject = typeof onReject === 'function' ? reject(onReject) : onReject;
  }
  if (classify !== undefined) {
    adaptedOptions.classify =
      typeof classify === 'function' ? (reply: Reply) => classify(statusOf(reply)) : classify;
  }
  return adaptedOptions as Adapted;
}

const requestOptions = ['key', 'weight', 'limit', 'skip', 'priority', 'fairBy', 'by'];

function adaptFunctions<Args extends readonly unknown[]>(
  options: object,
  read: (...args: Args) => SuiteContext,
): Record<string, unknown> {
  const entries = Object.entries(options).map(([name, value]) => {
    if (name === 'shares' && typeof value === 'object') return [name, adaptFunctions(value, read)];
    if (typeof value !== 'function' || !requestOptions.includes(name)) return [name, value];
    return [name, (...args: Args) => value(read(...args))];
  });
  return Object.fromEntries(entries);
}
