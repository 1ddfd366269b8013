interface Meta {
  readonly progressToken?: string | number | undefined;
}

type Notify = (notification: object) => Promise<void>;

/** What is read of `RequestHandlerExtra`, the last argument of a handler in `@modelcontextprotocol/sdk` (version 1). */
interface Extra {
  readonly signal: AbortSignal;
  readonly _meta?: Meta | undefined;
  readonly sendNotification: Notify;
}

/** What is read of `ServerContext`, the last argument of a handler in `@modelcontextprotocol/server` (version 2). */
interface ServerContext {
  readonly mcpReq: {
    readonly signal: AbortSignal;
    readonly _meta?: Meta | undefined;
    readonly notify: Notify;
  };
}

/** The request of a call, in either version of the SDK. */
export interface ToolRequest {
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  /** Sends a notification to the client. Does not throw. */
  notify(notification: object): void;
  /** The last argument of the handler, with another signal. */
  withSignal(signal: AbortSignal): unknown;
}

/** @param context The last argument of the handler. */
export function requestOf(context: unknown): ToolRequest {
  const given = context as Extra | ServerContext;
  if (!('mcpReq' in given)) {
    const withSignal = (signal: AbortSignal): Extra => ({ ...given, signal });
    return request(given, (notification) => given.sendNotification(notification), withSignal);
  }
  const { mcpReq } = given;
  const withSignal = (signal: AbortSignal) => ({ ...given, mcpReq: { ...mcpReq, signal } });
  return request(mcpReq, (notification) => mcpReq.notify(notification), withSignal);
}

function request(
  { signal, _meta }: Pick<Extra, 'signal' | '_meta'>,
  send: Notify,
  withSignal: ToolRequest['withSignal'],
): ToolRequest {
  return {
    signal,
    progressToken: _meta?.progressToken,
    notify(notification) {
      // It fails if the connection has been lost, as the response will, which the SDK reports.
      Promise.resolve(notification)
        .then(send)
        .catch(() => {});
    },
    withSignal,
  };
}
