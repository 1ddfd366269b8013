import { Readable } from 'node:stream';
import { Dispatcher, errors } from 'undici';
import type { Network } from './network.ts';
import type { Upstream } from './upstream.ts';

/** Sends a request; resolves to the status of the response. */
type Send = (signal: AbortSignal | undefined) => Promise<number>;

/** Connects the transports of the libraries to the server without a socket. */
export function virtualNetwork(upstream: Upstream): Network {
  const send: Send = (signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const left = new AbortController();
      const leave = () => {
        left.abort();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      upstream.receive((status) => {
        signal?.removeEventListener('abort', leave);
        resolve(status);
      }, left.signal);
    });
  return {
    url: 'http://upstream/',
    fetch: async (input, init) => {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      return new Response('', { status: await send(signal) });
    },
    gotRequest: (timeout, signal) => async () => {
      const late = AbortSignal.timeout(timeout);
      const statusCode = await send(AbortSignal.any([signal, late])).catch((error) => {
        // As the error of Got's timeout.
        throw late.aborted ? Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }) : error;
      });
      return Object.assign(Readable.from([]), { statusCode, headers: {} }) as never;
    },
    dispatcher: (headersTimeout) => new VirtualDispatcher(send, headersTimeout),
    close: () => {},
  };
}

/** What undici's RetryAgent and `request` use of an agent. */
class VirtualDispatcher extends Dispatcher {
  constructor(
    private readonly send: Send,
    private readonly headersTimeout: number,
  ) {
    super();
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const aborted = new AbortController();
    const controller = new VirtualController(aborted);
    handler.onRequestStart?.(controller, {});
    const late = AbortSignal.timeout(this.headersTimeout);
    this.send(AbortSignal.any([aborted.signal, late])).then(
      async (status) => {
        try {
          handler.onResponseStart?.(controller, status, {}, '');
          await controller.resumed;
          handler.onResponseEnd?.(controller, {});
        } catch (error) {
          handler.onResponseError?.(controller, error as Error);
        }
      },
      (error) =>
        handler.onResponseError?.(
          controller,
          late.aborted ? new errors.HeadersTimeoutError() : error,
        ),
    );
    return true;
  }
}

class VirtualController implements Dispatcher.DispatchController {
  rawHeaders = [];
  rawTrailers = [];
  /** Resolves when the response is not paused. */
  resumed = Promise.resolve();
  #resume: (() => void) | undefined;

  constructor(private readonly controller: AbortController) {}

  get aborted(): boolean {
    return this.controller.signal.aborted;
  }

  get reason(): Error | null {
    return this.controller.signal.reason ?? null;
  }

  get paused(): boolean {
    return this.#resume !== undefined;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  pause(): void {
    this.resumed = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}
