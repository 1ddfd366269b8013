import { stamp } from '../log/stamp.ts';
import type { Plan } from './messages.ts';
import { send } from './send.ts';

/** The connection to the resource, which checks the token of each write. */
export class Resource {
  readonly #worker: string;
  readonly #open = new Map<number, () => void>();
  #count = 0;

  constructor({ worker }: Plan) {
    this.#worker = worker;
  }

  write(limit: number, call: number, fencing: string | undefined): Promise<void> {
    const write = ++this.#count;
    return new Promise((resolve) => {
      this.#open.set(write, resolve);
      send({ write, worker: this.#worker, limit, call, fencing, from: stamp() });
    });
  }

  /** Called with the resource's answer: accepted or rejected. */
  written(write: number): void {
    this.#open.get(write)?.();
    this.#open.delete(write);
  }
}
