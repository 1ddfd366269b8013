import { Client } from '@headgate/core/http';

/** A client of a runtime that has Request and Response and nothing more to tell. */
export class WebClient extends Client {
  private sent = false;

  constructor(private readonly signal: AbortSignal) {
    super();
  }

  get gone(): boolean {
    return this.signal.aborted;
  }

  protected listen(): void {
    this.signal.addEventListener('abort', () => this.ended(this.sent ? 'truncated' : 'unanswered'));
  }

  /** Hono tells when the handler is done: nobody asks. */
  whenTouched(): void {}

  rejected(): void {}

  /**
   * Tells the end of the response by that of its body; one that has none, that nobody will read, or that somebody
   * reads already (since `timeout()`, say, has answered before) ends here.
   */
  watch(response: Response, isRead: boolean): Response {
    if (this.sent) return response;
    this.sent = true;
    const { body } = response;
    if (isRead && body !== null && !response.bodyUsed && !body.locked) {
      return new Response(this.metered(body), response);
    }
    this.ended('complete');
    return response;
  }

  private metered(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          this.ended('complete');
        } catch (error) {
          controller.error(error);
          this.ended('truncated');
        }
      },
      cancel: (reason) => {
        this.ended('truncated');
        return reader.cancel(reason);
      },
    });
  }
}
