/** What a client says of its own connection. */
export interface Watcher {
  up(): void;
  down(error: unknown): void;
}

/** A connection on which messages come, and nothing else is done. */
export interface Subscriber {
  close(): void;
}

export interface SubscribeOptions {
  readonly channel: string;
  heard(message: string): void;
  /** Messages no longer arrive. */
  lost(): void;
  /** Aborts an attempt that takes too long. */
  readonly signal: AbortSignal;
}

/** What the store needs of a client, whichever library it is of. */
export interface Connection {
  /** Whether the client would keep a call until it has connected; else the call goes out now, or fails now. */
  readonly isConnecting: boolean;
  /** Whether it is there, as far as the client knows: before that, a second one is not worth an attempt. */
  readonly isUp: boolean;
  /** Whether the user has closed it, or not opened it yet. */
  readonly isClosed: boolean;
  /** The latest error that the client has told since it was last connected. */
  readonly lastError: unknown;
  evalsha(sha: string, key: string, args: string[]): Promise<unknown>;
  eval(script: string, key: string, args: string[]): Promise<unknown>;
  /** Also takes `error` events, which would end the process where nobody did; returns what ends it. */
  watch(watcher: Watcher): () => void;
  /** Resolves when messages arrive; never, perhaps, where the attempt is aborted. */
  subscribe(options: SubscribeOptions): Promise<Subscriber>;
}

/** Adds listeners; returns what removes them. */
export function onAll(
  emitter: { on(event: string, listener: Listener): unknown; off: Off },
  listeners: Record<string, Listener>,
): () => void {
  for (const [event, listener] of Object.entries(listeners)) emitter.on(event, listener);
  return () => {
    for (const [event, listener] of Object.entries(listeners)) emitter.off(event, listener);
  };
}

type Listener = (...args: unknown[]) => void;
type Off = (event: string, listener: Listener) => unknown;
