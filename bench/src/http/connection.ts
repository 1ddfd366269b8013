import { connect, type Socket } from 'node:net';
import { closedLoop } from 'headgate/load';

/** Milliseconds. */
const ANSWER_TIMEOUT = 10_000;
const HEAD_END = '\r\n\r\n';

/** The text of a request. `headers`: lines that end in `\r\n`. */
export function requestOf(method: string, path: string, headers = '', body = ''): string {
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}${length}\r\n${body}`;
}

/**
 * A client's connection that costs a third of the CPU of one of `node:http`. With those, the clients would be slower than
 * the server, and each request would cost it half as much again, since it waits between them.
 */
class Connection {
  #socket: Socket | undefined;
  #received = '';
  #resolve: (status: number) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(private readonly port: number) {}

  /** Resolves to the status. Connects if there is no connection, or an answer has ended it. */
  send(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket ??= this.#connect();
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect(): Socket {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    const fail = (why: string) => socket.destroy(new Error(why));
    socket.setTimeout(ANSWER_TIMEOUT, () => fail('no answer within 10 s'));
    socket.on('end', () => fail('the server has ended a connection'));
    socket.on('error', (error) => this.#reject(error));
    return socket.setEncoding('latin1').on('data', (text: string) => this.#read(text));
  }

  #read(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(HEAD_END);
    const head = this.#received.slice(0, Math.max(0, end));
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
    const whole = end + HEAD_END.length + Number(length);
    const isWhole =
      length === undefined
        ? this.#received.endsWith(`0${HEAD_END}`)
        : this.#received.length >= whole;
    if (end === -1 || !isWhole) return;
    this.#received = '';
    if (/\r\nconnection: *close/i.test(head)) this.close();
    this.#resolve(Number(head.slice(9, 12)));
  }
}

/** What is sent on connections, for `duration` milliseconds. */
interface BusyConnections {
  readonly port: number;
  /** The requests of each connection, which it repeats in turn. */
  readonly requests: readonly (readonly string[])[];
  readonly duration: number;
}

/**
 * Keeps every connection busy: each sends its next request as soon as it has received an answer. Resolves to the answers
 * per second.
 *
 * @param answered Called with the status of each answer.
 */
export async function keepBusy(
  { port, requests, duration }: BusyConnections,
  answered: (status: number) => void,
): Promise<number> {
  const idle = requests.map((own) => ({ connection: new Connection(port), own, sent: 0 }));
  const { rate } = await closedLoop({ clients: requests.length, duration }, async () => {
    const client = idle.pop() as (typeof idle)[number];
    const request = client.own[client.sent++ % client.own.length] as string;
    answered(await client.connection.send(request));
    idle.push(client);
    // Even if it is a rejection: these clients do not pause.
    return 'answered';
  });
  for (const { connection } of idle) connection.close();
  return rate;
}
