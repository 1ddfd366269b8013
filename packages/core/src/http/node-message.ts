// biome-ignore lint/suspicious/noExplicitAny: overloaded methods, wrapped without changing their types
type Method = any;

/** The properties of Node's HTTP/1 and HTTP/2 requests that are used here. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  /** Whether something reads the stream as it arrives, through `data` events or a pipe. */
  readonly readableFlowing: boolean | null;
  /** Number of bytes that have arrived and have not been read. */
  readonly readableLength: number;
  /** The state of the stream: only here, the size of its buffer can be changed. */
  readonly _readableState?: { highWaterMark: number };
  /** Whether the whole body has arrived. */
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly aborted?: boolean;
  readonly errored?: (Error & { readonly code?: string }) | null;
  readonly httpVersionMajor: number;
  /** Whether the connection has changed to another protocol, such as WebSocket. */
  readonly upgrade?: boolean;
  readonly socket: NodeSocket | null;
  on(event: 'data', listener: (chunk: { length: number }) => void): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
  prependListener(event: 'end', listener: () => void): unknown;
  listenerCount(event: 'data' | 'readable' | 'close' | 'aborted'): number;
  pause(): unknown;
  resume(): unknown;
  destroy: Method;
}

export interface NodeSocket {
  readonly destroyed: boolean;
  /** Set by the HTTP server that has accepted the connection. */
  readonly server?: unknown;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  on(event: 'close', listener: () => void): unknown;
  end(): unknown;
  resume?: () => unknown;
  destroy(): unknown;
  destroySoon?: () => void;
}

/** The properties of Node's HTTP/1 and HTTP/2 responses that are used here. */
export interface NodeResponse {
  readonly statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly destroyed?: boolean;
  readonly closed?: boolean;
  /** Null until the app calls `destroy`, with an error or without. */
  readonly errored?: (Error & { readonly code?: string }) | null;
  readonly socket: unknown;
  readonly stream?: {
    readonly destroyed: boolean;
    readonly aborted: boolean;
    on(event: 'close', listener: () => void): unknown;
  };
  shouldKeepAlive?: boolean;
  write: Method;
  end: Method;
  writeHead: Method;
  destroy: Method;
  on(event: 'close' | 'finish', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'newListener', listener: (event: string | symbol) => void): unknown;
  listenerCount(event: 'close' | 'error' | 'unpipe'): number;
  // biome-ignore lint/complexity/noBannedTypes: as Node declares it
  listeners(event: 'close'): Function[];
  prependListener(event: 'finish', listener: () => void): unknown;
}
