/** Observes the client's connection. */
export interface Watcher {
  up(): void;
  down(error: unknown): void;
  /** Called when a connection has ended and the client repeats its unanswered commands. */
  repeats(): void;
}

/** A connection that only receives messages. */
export interface Subscriber {
  close(): void;
}

export interface SubscribeOptions {
  readonly channel: string;
  heard(message: string): void;
  /** Called when messages no longer arrive. */
  lost(): void;
  /** Aborts an attempt that takes too long. */
  readonly signal: AbortSignal;
}

/** What the store needs from a client of either library. */
export interface Connection {
  /**
   * Whether the client is connecting and holds calls back until then. Otherwise it sends a call immediately, or rejects
   * it.
   */
  readonly isConnecting: boolean;
  /** Whether the client believes that it is connected. If it does not, opening a second connection is pointless. */
  readonly isUp: boolean;
  /** Whether the user has closed the client, or has not opened it yet. */
  readonly isClosed: boolean;
  /** The latest error that the client has emitted since it last connected. */
  readonly lastError: unknown;
  evalsha(sha: string, key: string, args: string[]): Promise<unknown>;
  eval(script: string, key: string, args: string[]): Promise<unknown>;
  /**
   * Watches the client. Also handles `error` events, which would otherwise end the process. Returns a function that
   * ends this.
   */
  watch(watcher: Watcher): () => void;
  /** Resolves when messages arrive. If the attempt is aborted, it may never settle. */
  subscribe(options: SubscribeOptions): Promise<Subscriber>;
}

/** Adds listeners; returns a function that removes them. */
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
