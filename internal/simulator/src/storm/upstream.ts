import { createLimiter } from '@headgate/core';

/** During the outage, the server answers 503 at once, or accepts requests and works them off later. */
export type Outage = 'errors' | 'hang';

/** Requests that the server works on at once, and how many milliseconds each takes on average. */
export const WORKERS = 4;
export const WORK = 40;

type Answer = (status: number) => void;

/**
 * A server that works on each request that it has accepted, in order of arrival. Like most servers, it does not notice
 * that a client has left.
 */
export class Upstream {
  requests = 0;
  isDown = false;
  #idle = WORKERS;
  readonly #queue: Answer[] = [];
  readonly #limiter = createLimiter({ name: 'upstream', limit: WORKERS, queueTimeout: 1_000 });

  constructor(
    private readonly outage: Outage,
    private readonly isLimited: boolean,
  ) {}

  /** @param left Aborts when the client leaves before the response. */
  receive(answer: Answer, left: AbortSignal): void {
    this.requests++;
    if (this.isDown && this.outage === 'errors') answer(503);
    else if (this.isLimited) void this.#limited(answer, left);
    else this.#accept(answer);
  }

  recover(): void {
    this.isDown = false;
    const waiting = Math.min(this.#idle, this.#queue.length);
    for (let worker = 0; worker < waiting; worker++) void this.#work();
  }

  async #limited(answer: Answer, left: AbortSignal): Promise<void> {
    const permit = await this.#limiter.acquire({ signal: left }).catch(() => undefined);
    if (permit === undefined) return answer(503);
    left.addEventListener('abort', () => permit.release());
    this.#accept((status) => {
      permit.release();
      answer(status);
    });
  }

  #accept(answer: Answer): void {
    this.#queue.push(answer);
    if (this.#idle > 0) void this.#work();
  }

  async #work(): Promise<void> {
    this.#idle--;
    // When the worker is free again. Late timers do not reduce the capacity.
    let free = performance.now();
    while (!(this.isDown && this.outage === 'hang')) {
      const answer = this.#queue.shift();
      if (answer === undefined) break;
      free += WORK * (0.5 + Math.random());
      await sleep(free - performance.now());
      answer(200);
    }
    this.#idle++;
  }
}

/** Not `node:timers/promises`, whose timers are not virtual. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
}
