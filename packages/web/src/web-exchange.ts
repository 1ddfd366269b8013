import { Exchange, type GatedRequest } from '@headgate/core/http';

type Ending = Parameters<Exchange['ended']>[0];

/**
 * The exchanges by their request, or by the framework's object for the request if middleware may replace the request.
 */
const exchanges = new WeakMap<object, WebExchange>();

/** The exchange that observes a body. */
const observers = new WeakMap<ReadableStream, WebExchange>();

/** An exchange of a runtime that offers only Request and Response. */
export class WebExchange extends Exchange {
  /** Returns the same exchange for the same object, which belongs to one request. */
  static of(key: object, request: Pick<Request, 'signal'>): WebExchange {
    let exchange = exchanges.get(key);
    if (exchange === undefined) {
      exchange = new WebExchange(request.signal);
      exchanges.set(key, exchange);
    }
    return exchange;
  }

  /** The request at the innermost limit, also if that has rejected it. */
  innermost: GatedRequest | undefined = undefined;
  /** Number of bodies observed so far. The last one is that of the response. */
  private bodies = 0;
  private sent = false;
  private listens = false;
  private isAborted = false;
  private readonly begins: (() => void)[] = [];

  private constructor(private readonly signal: AbortSignal) {
    super();
  }

  /**
   * Reads the signal only until a listener is attached: later, other requests read this property, and Workers do not
   * let a request read another one's signal.
   */
  get gone(): boolean {
    return this.listens ? this.isAborted : this.signal.aborted;
  }

  get headersSent(): boolean {
    return this.sent;
  }

  protected listen(): void {
    this.listens = true;
    this.signal.addEventListener('abort', () => {
      this.isAborted = true;
      this.ended(this.sent ? 'truncated' : 'unanswered');
    });
  }

  override whenBodyBegins(callback: () => void): void {
    this.begins.push(callback);
  }

  /**
   * Observes the end of the body as the end of the response. A response ends immediately if it has no body, if
   * nothing will read the body, or if the body is already being read (because `timeout()`, say, responded earlier).
   */
  watch(response: Response, method: string): Response {
    const { body } = response;
    if (body !== null && observers.get(body) === this) return response;
    this.sent = true;
    const isRead = method !== 'HEAD' && response.status !== 101;
    if (isRead && body !== null && !response.bodyUsed && !body.locked) {
      const number = ++this.bodies;
      // Middleware between two limits may replace the response of the inner limit.
      const end = (ending: Ending) => number === this.bodies && this.ended(ending);
      const begin = () => {
        for (const callback of this.begins.splice(0)) callback();
      };
      const metered = meter(body, begin, end);
      observers.set(metered, this);
      // Neither the exchange nor `end` may refer to the body, which would then never be garbage-collected.
      unread?.register(metered, end);
      return new Response(metered, response);
    }
    this.ended('complete');
    return response;
  }
}

/** A stream of the same chunks, which reports its first chunk and its end. */
function meter(
  body: ReadableStream<Uint8Array>,
  begin: () => void,
  end: (ending: Ending) => unknown,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let ahead: ReturnType<typeof reader.read> | undefined;
  let hasEnded = false;
  const finish = (controller: ReadableStreamDefaultController) => {
    if (hasEnded) return;
    hasEnded = true;
    controller.close();
    end('complete');
  };
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await (ahead ?? reader.read());
        if (done) return finish(controller);
        begin();
        controller.enqueue(value);
        // Reads one chunk ahead, so that a body that is already complete ends here even if nothing reads it.
        ahead = reader.read();
        ahead.then((next) => next.done && finish(controller)).catch(() => {});
      } catch (error) {
        hasEnded = true;
        controller.error(error);
        end('truncated');
      }
    },
    cancel: (reason) => {
      hasEnded = true;
      end('truncated');
      return reader.cancel(reason);
    },
  });
}

/** Ends responses whose body is garbage-collected unread. Some runtimes have no FinalizationRegistry. */
const unread =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((end: (ending: Ending) => unknown) => end('truncated'));
