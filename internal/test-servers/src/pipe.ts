import type { Socket } from 'node:net';

/** One direction of a connection, which can delay data and the end. */
export class Pipe {
  readonly #to: Socket;
  /** What was received. Undefined marks the end. */
  readonly #queue: { readonly due: number; readonly chunk: Buffer | undefined }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #held = false;

  constructor(from: Socket, to: Socket, delay: () => number, seen: (chunk: Buffer) => void) {
    this.#to = to;
    const add = (chunk?: Buffer) => {
      this.#queue.push({ due: performance.now() + delay(), chunk });
      this.#pump();
    };
    from.on('data', (chunk) => {
      seen(chunk);
      add(chunk);
    });
    from.on('close', () => add());
    from.on('error', () => {});
  }

  hold(on: boolean): void {
    this.#held = on;
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    while (!this.#held && this.#queue[0] !== undefined) {
      const wait = this.#queue[0].due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#pump(), wait);
        return;
      }
      const { chunk } = this.#queue.shift() as { chunk: Buffer | undefined };
      if (chunk === undefined) this.#to.destroySoon();
      else if (this.#to.writable) this.#to.write(chunk);
    }
  }
}
