import { encode, type Grant, type LimitName, type Reply } from '@headgate/store-kit';
import type { Line } from './protocol.ts';

const encoder = new TextEncoder();

/** A response that stays open while leases of its request are queued, so that it can push their grants. */
class OpenResponse {
  readonly body: ReadableStream<Uint8Array>;
  readonly ids: Set<string>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #hasAnswered = false;
  #isOver = false;

  constructor(ids: Iterable<string>, gone: () => void) {
    this.ids = new Set(ids);
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#isOver = true;
        gone();
      },
    });
  }

  answer(replies: readonly Reply[]): void {
    this.#hasAnswered = true;
    this.write({ replies });
    this.#endIfSettled();
  }

  write(line: Line): void {
    if (!this.#isOver) this.#controller.enqueue(encoder.encode(`${encode(line)}\n`));
  }

  /** Called when the lease is no longer queued. */
  settle(id: string): void {
    this.ids.delete(id);
    this.#endIfSettled();
  }

  #endIfSettled(): void {
    if (this.#isOver || !this.#hasAnswered || this.ids.size > 0) return;
    this.#isOver = true;
    this.#controller.close();
  }
}

/**
 * The queued leases of an object. Each has the response that pushes its grant: that to the latest request about the
 * lease.
 */
export class PushedGrants {
  readonly #responses = new Map<string, OpenResponse>();

  /** Opens a response for these leases. Earlier responses no longer push their grants. */
  open(ids: readonly string[]): OpenResponse {
    const response = new OpenResponse(ids, () => {
      for (const id of response.ids) this.#delete(id, response);
    });
    for (const id of ids) {
      this.drop(id);
      this.#responses.set(id, response);
    }
    return response;
  }

  push(grant: Grant): void {
    this.#responses.get(grant.id)?.write({ grant });
    this.drop(grant.id);
  }

  /** Notifies the isolates of all queued leases that the limit is operated differently. */
  tell(operated: LimitName): void {
    for (const response of new Set(this.#responses.values())) response.write({ operated });
  }

  /** Called when the lease is no longer queued. Ends its response, unless the response has other queued leases. */
  drop(id: string): void {
    const response = this.#responses.get(id);
    if (response === undefined) return;
    this.#delete(id, response);
    response.settle(id);
  }

  #delete(id: string, response: OpenResponse): void {
    if (this.#responses.get(id) === response) this.#responses.delete(id);
  }
}
