/** A request in the network. */
export interface Request<T> {
  /** Messages with the same connection and direction stay in order. All others may overtake each other. */
  readonly connection: unknown;
  /** For the trace of a failed run. */
  readonly name: string;
  /** Executes the request at the server. It may resolve much later, for instance when a blocked request is granted. */
  apply(): Promise<T>;
}

/** An event of the network that may happen next. */
export interface NetworkEvent {
  readonly name: string;
  /** Whether a connection fails in this event, together with its messages. */
  readonly isFault: boolean;
  run(): void;
}

interface Message {
  readonly connection: unknown;
  readonly direction: 'to server' | 'to client';
  readonly name: string;
  /** Time of sending. */
  readonly sent: number;
  deliver(): void;
  /** Notifies the sender that the connection has ended. */
  lose(): void;
}

/**
 * Carries requests to a server in this process, and replies and notifications back. No message moves until the test
 * runs an event, so the test decides the order. If a sender gives up a request, the request stays in the network and
 * may still arrive.
 */
export class Network {
  #messages: Message[] = [];
  /** Connections that silently drop everything. */
  readonly #dead = new Set<unknown>();

  constructor(private readonly now: () => number) {}

  /** Whether no message is pending. */
  get isIdle(): boolean {
    return this.#messages.length === 0;
  }

  /** Milliseconds since the oldest pending message was sent. */
  get delay(): number {
    return Math.max(0, ...this.#messages.map(({ sent }) => this.now() - sent));
  }

  /** Resolves to the reply. Rejects with `lost()` if the connection ends before. */
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

  /** Sends a message without a request. `lose` notifies the receiver that the connection has ended. */
  notify(connection: unknown, name: string, deliver: () => void, lose = () => {}): void {
    const [direction, sent] = ['to client' as const, this.now()];
    this.#add({ connection, direction, name, sent, deliver, lose });
  }

  /** Whether messages on this connection arrive: it has not been silenced. */
  reaches(connection: unknown): boolean {
    return !this.#dead.has(connection);
  }

  /** What may happen next: messages that arrive, and faults. */
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

  /** Whether no other message must arrive first. */
  #isNext(message: Message): boolean {
    const { connection, direction } = message;
    const first = this.#messages.find(
      (other) => other.connection === connection && other.direction === direction,
    );
    return first === message;
  }

  /** Resets the connection: its messages are lost, and their senders are notified. */
  #end(connection: unknown): void {
    for (const { lose } of this.#take(connection)) lose();
  }

  /** Breaks the connection silently: present and later messages are lost, and their senders are not notified. */
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
