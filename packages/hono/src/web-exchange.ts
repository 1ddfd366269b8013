import { Exchange } from '@headgate/core/http';

/** An exchange of a runtime that offers only Request and Response. */
export class WebExchange extends Exchange {
  private sent = false;
  private listens = false;
  private isAborted = false;

  constructor(private readonly signal: AbortSignal) {
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

  /**
   * Observes the end of the body as the end of the response. A response ends immediately if it has no body, if
   * nothing will read the body, or if the body is already being read (because `timeout()`, say, responded earlier).
   */
  watch(response: Response, isRead: boolean): Response {
    if (this.sent) return response;
    this.sent = true;
    const { body } = response;
    if (isRead && body !== null && !response.bodyUsed && !body.locked) {
      const metered = this.metered(body);
      // The exchange must not refer to the body, which would then never be garbage-collected.
      for (let gated = this.latest; gated !== undefined; gated = gated.outer) gated.fixOutcome();
      unread?.register(metered, this);
      return new Response(metered, response);
    }
    this.ended('complete');
    return response;
  }

  private metered(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let ahead: ReturnType<typeof reader.read> | undefined;
    let hasEnded = false;
    const finish = (controller: ReadableStreamDefaultController) => {
      if (hasEnded) return;
      hasEnded = true;
      controller.close();
      this.ended('complete');
    };
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await (ahead ?? reader.read());
          if (done) return finish(controller);
          controller.enqueue(value);
          // Reads one chunk ahead, so that a body that is already complete ends here even if nothing reads it.
          ahead = reader.read();
          ahead.then((next) => next.done && finish(controller)).catch(() => {});
        } catch (error) {
          hasEnded = true;
          controller.error(error);
          this.ended('truncated');
        }
      },
      cancel: (reason) => {
        hasEnded = true;
        this.ended('truncated');
        return reader.cancel(reason);
      },
    });
  }
}

/** Ends responses whose body is garbage-collected unread. Some runtimes have no FinalizationRegistry. */
const unread =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((exchange: WebExchange) => exchange.ended('truncated'));
