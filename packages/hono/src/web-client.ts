import { Client } from '@headgate/core/http';

/** A client of a runtime that has Request and Response and nothing more to tell. */
export class WebClient extends Client {
  private sent = false;
  private listens = false;
  private left = false;

  constructor(private readonly signal: AbortSignal) {
    super();
  }

  /** Other requests ask, too, and Workers do not let them read this one's signal: it is read only until it is listened to. */
  get gone(): boolean {
    return this.listens ? this.left : this.signal.aborted;
  }

  protected listen(): void {
    this.listens = true;
    this.signal.addEventListener('abort', () => {
      this.left = true;
      this.ended(this.sent ? 'truncated' : 'unanswered');
    });
  }

  /** Hono tells when the handler is done: nothing else has to. */
  whenTouched(): void {}

  rejected(): void {}

  /**
   * Tells the end of the response by that of its body; one that has none, that nothing will read, or that is being read
   * already (since `timeout()`, say, has answered before) ends here.
   */
  watch(response: Response, isRead: boolean): Response {
    if (this.sent) return response;
    this.sent = true;
    const { body } = response;
    if (isRead && body !== null && !response.bodyUsed && !body.locked) {
      const metered = this.metered(body);
      unread?.register(metered, this);
      return new Response(metered, response);
    }
    this.ended('complete');
    return response;
  }

  private metered(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let ahead: ReturnType<typeof reader.read> | undefined;
    let isOver = false;
    const finish = (controller: ReadableStreamDefaultController) => {
      if (isOver) return;
      isOver = true;
      controller.close();
      this.ended('complete');
    };
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await (ahead ?? reader.read());
          if (done) return finish(controller);
          controller.enqueue(value);
          // One chunk ahead: a body that was ready as a whole ends here, whether or not anything reads it.
          ahead = reader.read();
          ahead.then((next) => next.done && finish(controller)).catch(() => {});
        } catch (error) {
          isOver = true;
          controller.error(error);
          this.ended('truncated');
        }
      },
      cancel: (reason) => {
        isOver = true;
        this.ended('truncated');
        return reader.cancel(reason);
      },
    });
  }
}

/** Ends responses whose body is dropped and never read. Some runtimes have no such registry. */
const unread =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((client: WebClient) => client.ended('truncated'));
