/** A request, as the network carries it. */
export interface Request<T> {
  /** What one connection carries in one direction stays in order; all else may overtake each other. */
  readonly connection: unknown;
  /** For the trace of a failed run. */
  readonly name: string;
  /** Does it at the server. May resolve much later, for instance when a blocked request is answered. */
  apply(): Promise<T>;
}

/** What the network can do next. */
export interface NetworkEvent {
  readonly name: string;
  /** Whether a connection fails, and with it what it carries. */
  readonly isFault: boolean;
  run(): void;
}

interface Message {
  readonly connection: unknown;
  readonly direction: 'to server' | 'to client';
  readonly name: string;
  /** By the clock. */
  readonly sent: number;
  deliver(): void;
  /** Tells the sender that the connection has ended. */
  lose(): void;
}

/**
 * Carries requests to a server in this process, and answers and notifications back. Nothing moves until an event is run,
 * so a test decides the order. A request that its sender has given up stays in the network and may still arrive.
 */
export class Network {
  #messages: Message[] = [];
  /** Connections that swallow everything. */
  readonly #dead = new Set<unknown>();

  constructor(private readonly now: () => number) {}

  get isIdle(): boolean {
    return this.#messages.length === 0;
  }

  /** Milliseconds that the oldest message has been under way. */
  get delay(): number {
    return Math.max(0, ...this.#messages.map(({ sent }) => this.now() - sent));
  }

  /** Resolves to the answer. Rejects with `lost()` if the connection ends before. */
  send<T>({ connection, name, apply }: Request<T>, lost: () => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(lost());
      const answer = (deliver: () => void) => {
        const [direction, sent] = ['to client' as const, this.now()];
        this.#add({ connection, direction, name: `answer to ${name}`, sent, deliver, lose });
      };
      const deliver = () =>
        void apply().then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        );
      this.#add({ connection, direction: 'to server', name, sent: this.now(), deliver, lose });
    });
  }

  /** A message that the server sends by itself. `lose` tells the receiver that the connection has ended. */
  notify(connection: unknown, name: string, deliver: () => void, lose = () => {}): void {
    const [direction, sent] = ['to client' as const, this.now()];
    this.#add({ connection, direction, name, sent, deliver, lose });
  }

  events(): NetworkEvent[] {
    return this.#messages
      .filter((message) => this.#isNext(message))
      .flatMap((message) => {
        const { name, connection, deliver } = message;
        const arrive = () => {
          this.#messages.splice(this.#messages.indexOf(message), 1);
          deliver();
        };
        return [
          { name, isFault: false, run: arrive },
          { name: `reset: ${name}`, isFault: true, run: () => this.#end(connection) },
          { name: `silence: ${name}`, isFault: true, run: () => this.#silence(connection) },
        ];
      });
  }

  #add(message: Message): void {
    if (!this.#dead.has(message.connection)) this.#messages.push(message);
  }

  /** Whether no other has to arrive before it. */
  #isNext(message: Message): boolean {
    const { connection, direction } = message;
    const first = this.#messages.find(
      (other) => other.connection === connection && other.direction === direction,
    );
    return first === message;
  }

  /** The connection is reset: what it carries is lost, and its senders know. */
  #end(connection: unknown): void {
    for (const { lose } of this.#take(connection)) lose();
  }

  /** The connection dies without a word: what it carries is lost, now and later, and no sender knows. */
  #silence(connection: unknown): void {
    this.#take(connection);
    this.#dead.add(connection);
  }

  #take(connection: unknown): Message[] {
    const taken = this.#messages.filter((message) => message.connection === connection);
    this.#messages = this.#messages.filter((message) => message.connection !== connection);
    return taken;
  }
}
