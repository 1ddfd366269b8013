import type { ObservedRequest } from './observed-request.ts';

/** Number of inner requests that run on a permit at once. It bounds what a client can start with one request. */
export const MAX_INNER = 10;

/** The inner requests that run on a permit. */
export class InnerRequests {
  readonly #requests = new Set<ObservedRequest>();

  get isFull(): boolean {
    return this.#requests.size >= MAX_INNER;
  }

  /** Whether the handler of one works, rather than waits for its client. */
  get areWorking(): boolean {
    for (const { headersSent, awaitsBody } of this.#requests)
      if (!headersSent && !awaitsBody) return true;
    return false;
  }

  /** Adds a request until it is done. Returns when that is. */
  async add(request: ObservedRequest, done: Promise<void>): Promise<void> {
    this.#requests.add(request);
    await done;
    this.#requests.delete(request);
  }
}
