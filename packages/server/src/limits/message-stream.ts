import type { Clock } from '@headgate/core';
import type { Grant, LimitName, StoreListener } from '@headgate/store-kit';

/** A line of the stream. An empty line shows that the connection works. */
export type Message =
  | { readonly grant: Omit<Grant, 'fencing'> & { readonly fencing: string | undefined } }
  | { readonly recall: LimitName }
  | { readonly operated: LimitName }
  | { readonly check: true };

/** Maximum number of bytes that a client leaves unread. Beyond it, the stream ends, and the client opens another one. */
const MAX_UNREAD = 1_000_000;

const encoder = new TextEncoder();

/** The messages to one process, as the lines of a response that ends only with the connection. */
export class MessageStream implements StoreListener {
  readonly body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  /** The lines of this tick, which are sent together: one batch of operations may grant a hundred leases. */
  #lines = '';
  #nextBeat: unknown;
  #isOver = false;

  /**
   * @param interval Maximum time between two lines in milliseconds.
   * @param ended Called when the client has disconnected, or does not read.
   */
  constructor(
    private readonly clock: Clock,
    private readonly interval: number,
    private readonly ended: () => void,
  ) {
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD });
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.#end(),
    };
    this.body = new ReadableStream(source, strategy);
    this.#beat();
  }

  grant({ id, fencing }: Grant): void {
    // As text, since a JSON number cannot hold all its digits.
    this.#write({ grant: { id, fencing: fencing?.toString() } });
  }

  recall(recall: LimitName): void {
    this.#write({ recall });
  }

  operated(operated: LimitName): void {
    this.#write({ operated });
  }

  check(): void {
    this.#write({ check: true });
  }

  /** Called by no server that counts in this process: the connection to it is never lost. */
  state(): void {}

  close(): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller.close();
  }

  #write(message: Message): void {
    this.#send(JSON.stringify(message));
  }

  #send(line: string): void {
    if (this.#lines === '') queueMicrotask(() => this.#flush());
    this.#lines += `${line}\n`;
  }

  #flush(): void {
    const bytes = encoder.encode(this.#lines);
    this.#lines = '';
    if (this.#isOver) return;
    this.#controller.enqueue(bytes);
    if ((this.#controller.desiredSize ?? 0) <= 0) this.close();
  }

  #beat(): void {
    this.#nextBeat = this.clock.setTimeout(() => {
      // Lines that the client has not read yet show as much, once it reads them.
      if (this.#controller.desiredSize === MAX_UNREAD) this.#send('');
      if (!this.#isOver) this.#beat();
    }, this.interval);
  }

  #end(): void {
    this.#isOver = true;
    this.clock.clearTimeout(this.#nextBeat);
    this.ended();
  }
}
