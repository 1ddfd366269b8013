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
  TimeLeft,
} from '@headgate/core';
import type { HttpHandle } from '@headgate/core/http';

/** What the suite needs from a framework: its capabilities, and how to build apps with it. */
export interface FrameworkDriver<L extends SuiteLimit = SuiteLimit> {
  /** The framework and its version, for the titles of the tests. */
  readonly name: string;
  /** What the framework and its adapter support. What they lack is not tested. */
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
  /** The middleware and handlers. */
  readonly steps: readonly Step<L>[];
  /**
   * Must be called with each error that reaches the framework's error handling, which then responds with the error's
   * `status` and `headers`, or with 500.
   */
  onError(error: unknown): void;
}

/** A middleware, a mounted router, or a handler. */
export type Step<L extends SuiteLimit = SuiteLimit> =
  | {
      /** The adapter's middleware. */
      readonly use: L;
    }
  | {
      /** The prefix at which a router is mounted. It may contain parameters: `/:tenant/reports`. */
      readonly mount: string;
      /** The middleware and handlers of the router. */
      readonly steps: readonly Step<L>[];
    }
  | {
      /** The handler. */
      readonly handle: SuiteHandler;
      /** Default: GET, which includes HEAD. */
      readonly method?: Method;
      /** The path that it handles. Default: every path. */
      readonly path?: string;
    };

type Method = 'GET' | 'POST';

/**
 * Responds through its context, now or later. If it throws or rejects, the error goes to the framework's error
 * handling.
 */
export type SuiteHandler = (context: SuiteContext) => void | Promise<void>;

/** A request and its response, independent of the framework. */
export interface SuiteContext {
  /** The method of the request. */
  readonly method: string;
  /** The full path, as the client sent it. */
  readonly path: string;
  /** A header field of the request; undefined if the request does not have it. */
  header(name: string): string | undefined;
  /** Reads the request's body as text. */
  body(): Promise<string>;
  /** The admission that the adapter passes to the handler. */
  readonly admission: SuiteAdmission | undefined;
  /** Undefined on a server other than Node's, as is `outgoing`. */
  readonly incoming: IncomingMessage;
  /** Node's response. Undefined on a server other than Node's. */
  readonly outgoing: ServerResponse;
  /** Responds as users of the framework do. Some frameworks send the response only when the handler settles. */
  send(status: number, body?: string, headers?: Readonly<Record<string, string>>): void;
  /** Responds with a stream. */
  stream(body: Readable, headers?: Readonly<Record<string, string>>): void;
}

interface SuiteAdmission {
  readonly permit?: Permit | undefined;
  readonly waited: number;
  /** Set in degraded mode. */
  readonly rejection?: Rejection | undefined;
  readonly timeLeft?: number | undefined;
}

/** Responds to a rejected request, or lets the next handler do so. */
export type OnReject = (
  rejection: Rejection,
  context: SuiteContext,
  next: () => unknown,
) => unknown;

interface DistributedOptions {
  /** As `store` of `concurrencyLimit`. */
  readonly store?: DistributedLimiterOptions['store'] | undefined;
  /** As `onStoreError` of `concurrencyLimit`. */
  readonly onStoreError?: DistributedLimiterOptions['onStoreError'];
}

type Ask<T> = (context: SuiteContext) => T;

interface SuiteLimitOptions extends DistributedOptions {
  /** As `name` of `concurrencyLimit`. */
  readonly name?: string;
  /** As `limit` of `concurrencyLimit`. */
  readonly limit?: number | LimitFactory | Ask<number>;
  /** As `limiter` of `concurrencyLimit`. */
  readonly limiter?: LocalLimiter;
  /** As `key` of `concurrencyLimit`. */
  readonly key?: Ask<string | number | undefined>;
  /** As `route` of `concurrencyLimit`. */
  readonly route?: string;
  /** As `weight` of `concurrencyLimit`. */
  readonly weight?: number | Ask<number>;
  /** As `shares` of `concurrencyLimit`. */
  readonly shares?: {
    /** The part of each share. */
    readonly parts?: Readonly<Record<string, number>>;
    /** Returns the share of a request. */
    readonly by: Ask<string | undefined>;
  };
  /** As `queueLimit` of `concurrencyLimit`. */
  readonly queueLimit?: number;
  /** As `queueWeight` of `concurrencyLimit`. */
  readonly queueWeight?: number;
  /** As `statusCode` of `concurrencyLimit`. */
  readonly statusCode?: number;
}

/** The options of `concurrencyLimit`, with framework-independent contexts. */
export interface SuiteOptions extends SuiteLimitOptions {
  /** As `limits` of `concurrencyLimit`. */
  readonly limits?: readonly SuiteLimitOptions[];
  /** As `queueTimeout` of `concurrencyLimit`. */
  readonly queueTimeout?: number | Ask<number | undefined> | TimeLeft;
  /** As `skip` of `concurrencyLimit`. */
  readonly skip?: Ask<boolean>;
  /** As `onReject` of `concurrencyLimit`. */
  readonly onReject?: OnReject;
  /** As `order` of `concurrencyLimit`. */
  readonly order?: Order;
  /** As `priority` of `concurrencyLimit`. */
  readonly priority?: Ask<Priority | undefined>;
  /** As `fairBy` of `concurrencyLimit`. */
  readonly fairBy?: Ask<string | undefined>;
  /** As `guard` of `concurrencyLimit`. */
  readonly guard?: Guard;
  /** Classifies by the status of the response. */
  readonly classify?: (status: number) => Outcome;
  /** As `mode` of `concurrencyLimit`. */
  readonly mode?: 'enforce' | 'shadow';
  /** As `headers` of `concurrencyLimit`. */
  readonly headers?: boolean;
  /** As `maxHold` of `concurrencyLimit`. */
  readonly maxHold?: number;
  /** As `onDisconnect` of `concurrencyLimit`. */
  readonly onDisconnect?: 'wait' | 'release';
  /** As `clock` of `concurrencyLimit`. */
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

const requestOptions = [
  'key',
  'weight',
  'limit',
  'skip',
  'priority',
  'fairBy',
  'by',
  'queueTimeout',
];

function adaptFunctions<Args extends readonly unknown[]>(
  options: object,
  read: (...args: Args) => SuiteContext,
): Record<string, unknown> {
  const entries = Object.entries(options).map(([name, value]) => {
    if (name === 'shares' && typeof value === 'object') return [name, adaptFunctions(value, read)];
    // A result of `timeLeft()` reads the framework's own request.
    if (typeof value !== 'function' || 'max' in value) return [name, value];
    if (!requestOptions.includes(name)) return [name, value];
    return [name, (...args: Args) => value(read(...args))];
  });
  return Object.fromEntries(entries);
}
