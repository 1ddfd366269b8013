import { once } from 'node:events';
import net from 'node:net';
import { until } from './until.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A client that writes raw bytes, and can do what well-behaved clients cannot. */
export class RawSocket {
  /** The socket itself. */
  readonly socket: net.Socket;
  /** Everything received so far. */
  received = '';
  /** Whether the server has closed the connection, or it broke. */
  ended = false;

  constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk) => {
      this.received += chunk;
    });
    this.socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      this.socket.on(event, () => {
        this.ended = true;
      });
    }
  }

  /** Writes a request; `headers` are header lines. */
  request(start: string, ...headers: string[]): void {
    this.socket.write([`${start} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'));
  }

  /** Waits until the received text matches; throws if the connection ends first. */
  async receives(pattern: RegExp): Promise<void> {
    await until(() => pattern.test(this.received) || this.ended);
    if (!pattern.test(this.received)) throw new Error(`closed after: ${this.received}`);
  }

  /** Advances the clock until the server has closed the connection. */
  async untilClosed(clock: VirtualClock): Promise<void> {
    await until(() => {
      clock.advance(100);
      return this.socket.closed;
    });
  }

  /** The statuses of the responses so far. */
  get statuses(): string[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
  }

  /** Ends the connection at once, and resolves when it has ended. */
  async destroy(): Promise<void> {
    if (this.socket.closed) return;
    this.socket.destroy();
    await once(this.socket, 'close');
  }
}
