/** Bytes of a body that are read ahead. A shorter body ends although nothing reads it. */
const READ_AHEAD = 65_536;

type Body = ReadableStream<Uint8Array>;

/** Refers to nothing once the body has ended: the registry keeps it until the next garbage collection. */
interface Unread {
  ahead: BodyAhead | undefined;
}

/** Ends bodies that are collected as garbage unread. Some runtimes have no FinalizationRegistry. */
const unread =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry(({ ahead }: Unread) => ahead?.cancel().catch(() => {}));

/**
 * Returns a response like this one.
 *
 * @param ended Called once the body has been read, was cancelled or collected, or has failed with an error.
 */
export function holdResponse(
  response: Response,
  isHead: boolean,
  ended: (error?: unknown) => void,
): Response {
  const { body } = response;
  // A body that is being read already was not received just now.
  // Some implementations have bodies that are no web streams.
  if (typeof body?.getReader !== 'function' || isHead || body.locked) {
    ended();
    return response;
  }
  const held: Unread = { ahead: undefined };
  const ahead = new BodyAhead(body, (error) => {
    held.ahead = undefined;
    ended(error);
  });
  held.ahead = ahead;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull: (controller) => ahead.pull(controller),
    cancel: (reason) => ahead.cancel(reason),
  };
  // It lives as long as its stream, to which `ahead` must not refer. To register the stream costs twice as much.
  unread?.register(source, held);
  try {
    return new HeldResponse(new ReadableStream(source, { highWaterMark: 0 }), response);
  } catch (error) {
    ahead.cancel(error).catch(() => {});
    throw error;
  }
}

/** Has the properties of the original response that the constructor does not take. */
class HeldResponse extends Response {
  constructor(
    body: Body | null,
    private readonly original: Response,
    /** Where the body comes from: once that is collected as garbage, some runtimes cancel the body. */
    protected readonly source?: Response,
  ) {
    const { status, headers } = original;
    const isAllowed = status >= 200 && status <= 599;
    super(body, { status: isAllowed ? status : 200, headers });
    // Some servers send 999.
    if (!isAllowed)
      Object.defineProperties(this, { status: { value: status }, ok: { value: false } });
  }

  override get statusText(): string {
    return this.original.statusText;
  }

  override get url(): string {
    return this.original.url;
  }

  override get redirected(): boolean {
    return this.original.redirected;
  }

  override get type(): ResponseType {
    return this.original.type;
  }

  override clone(): Response {
    const copy = super.clone();
    return new HeldResponse(copy.body, this.original, copy);
  }
}

/** Reads a body a little ahead of its consumer. */
class BodyAhead {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Those whose chunks the consumer has not got. */
  readonly #reads: Promise<{ value?: Uint8Array | undefined }>[] = [];
  #bytes = 0;

  constructor(body: Body, ended: (error?: unknown) => void) {
    this.#reader = body.getReader();
    // Also notices an abort while nothing is read.
    this.#reader.closed.then(() => ended(), ended);
    this.#read();
  }

  /** Refers to the controller only while the consumer waits: otherwise the stream could not be collected. */
  pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined {
    if (this.#reads.length === 0) this.#read();
    return this.#reads.shift()?.then(({ value }) => {
      if (value === undefined) return controller.close();
      this.#bytes -= value.byteLength;
      controller.enqueue(value);
    });
  }

  cancel(reason?: unknown): Promise<void> {
    return this.#reader.cancel(reason);
  }

  #read(): void {
    const read = this.#reader.read();
    this.#reads.push(read);
    const again = ({ value }: Awaited<typeof read>) => {
      if (value === undefined) return;
      this.#bytes += value.byteLength;
      if (this.#bytes < READ_AHEAD) this.#read();
    };
    // The consumer gets the error.
    read.then(again, () => {});
  }
}
