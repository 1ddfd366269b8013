import type { LimitFactory, LocalLimiter } from '@headgate/core';
import { exponentialBackoff } from '../backoff.ts';
import { type Answer, Client, type Send } from '../client.ts';
import type { Simulation } from '../simulation.ts';

/** A server of Dialogue's simulation: whether it fails is decided when it answers. */
export class DialogueServer {
  #busy = 0;
  answered = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly capacity: number,
    /** Milliseconds, by how many are served. */
    private readonly time: (busy: number) => number,
  ) {}

  serve(done: (succeeded: boolean) => void): void {
    this.#busy++;
    this.simulation.setTimeout(() => {
      const succeeded = this.#busy <= this.capacity;
      this.#busy--;
      this.answered++;
      done(succeeded);
    }, this.time(this.#busy));
  }
}

/** A server as one client sees it, with the client's own limiter before it. */
class Way {
  #failures = 0;
  #at = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly server: DialogueServer,
    readonly limiter: LocalLimiter,
    /** How much a failure counts, in requests. */
    private readonly failure: number,
  ) {}

  /** The lower, the better. */
  get score(): number {
    return this.limiter.inflight + Math.round(this.#recentFailures());
  }

  /** Returns whether there was room. */
  take(done: (answer: Answer) => void): boolean {
    const permit = this.limiter.tryAcquire();
    if (permit === undefined) return false;
    this.server.serve((succeeded) => {
      if (!succeeded) this.#failures = this.#recentFailures() + this.failure;
      permit.release(succeeded ? 'ok' : 'dropped');
      done({ succeeded });
    });
    return true;
  }

  /** They are forgotten by half within 30 seconds. */
  #recentFailures(): number {
    const now = this.simulation.now();
    this.#failures *= 0.5 ** ((now - this.#at) / 30_000);
    this.#at = now;
    return this.#failures;
  }
}

/** Sends what comes to the best server that has room; the rest waits. */
class Balancer {
  readonly #waiting: ((answer: Answer) => void)[] = [];

  constructor(
    private readonly ways: readonly Way[],
    private readonly random: () => number,
  ) {}

  send(answer: (answer: Answer) => void): void {
    this.#waiting.push(answer);
    this.#serve();
  }

  #serve(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const answer = first;
      if (
        !this.#place((result) => {
          answer(result);
          this.#serve();
        })
      )
        return;
      this.#waiting.shift();
    }
  }

  #place(done: (answer: Answer) => void): boolean {
    const ways = this.ways.map((way) => ({ way, score: way.score, tie: this.random() }));
    ways.sort((one, other) => one.score - other.score || one.tie - other.tie);
    return ways.some(({ way }) => way.take(done));
  }
}

/**
 * A client of Dialogue's: sends each attempt to the server with the fewest requests and failures, and tries four times
 * again, after up to 250 ms, 500 ms, 1 s and 2 s.
 */
export function dialogueClient(
  simulation: Simulation,
  servers: readonly DialogueServer[],
  limit: number | LimitFactory,
  failure: number,
): Client {
  const ways = servers.map(
    (server) => new Way(simulation, server, simulation.limiter({ limit }), failure),
  );
  const balancer = new Balancer(ways, simulation.random);
  const send: Send = (answer) => {
    balancer.send(answer);
    return () => {};
  };
  return new Client(simulation, send, { retries: 4, backoff: exponentialBackoff(250) });
}
