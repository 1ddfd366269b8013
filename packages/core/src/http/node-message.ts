/** What is used of Node's requests, of HTTP/1 and HTTP/2. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  /** All of its body has come. */
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly errored?: (Error & { readonly code?: string }) | null;
  /** What a body parser has made of it. */
  readonly body?: unknown;
  readonly httpVersionMajor: number;
  readonly socket: NodeSocket | null;
  on(event: 'data', listener: (chunk: { length: number }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: passed through as it is
  destroy: any;
}

export interface NodeSocket {
  readonly destroyed: boolean;
  on(event: 'close', listener: () => void): unknown;
  end(): unknown;
  destroy(): unknown;
  destroySoon?: () => void;
}

/** What is used of Node's responses, of HTTP/1 and HTTP/2. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly destroyed?: boolean;
  /** Null until the app calls `destroy`, with an error or without. */
  readonly errored?: unknown;
  readonly socket: unknown;
  readonly stream?: { readonly destroyed: boolean; readonly aborted: boolean };
  shouldKeepAlive?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: methods of many overloads, passed through as they are
  write: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  end: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  writeHead: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  destroy: any;
  on(event: 'close' | 'newListener', listener: () => void): unknown;
  listenerCount(event: 'close'): number;
  // biome-ignore lint/complexity/noBannedTypes: as Node declares it
  listeners(event: 'close'): Function[];
  prependListener(event: 'finish', listener: () => void): unknown;
}
