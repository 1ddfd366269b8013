import type { LimitFactory, LocalLimiter } from '@headgate/core';
import { exponentialBackoff } from '../backoff.ts';
import { type Answer, Client, type Send } from '../client.ts';
import type { Simulation } from '../simulation.ts';

/** A server as in Dialogue's simulation: it decides whether a request fails when it answers the request. */
export class DialogueServer {
  #busy = 0;
  answered = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly capacity: number,
    /** The service time in milliseconds, by the number of requests in flight. */
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

/** A server as seen by one client, behind the client's own limiter. */
class Backend {
  #failures = 0;
  #at = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly server: DialogueServer,
    readonly limiter: LocalLimiter,
    /** The weight of a failure, in requests. */
    private readonly failure: number,
  ) {}

  /** Lower is better. */
  get score(): number {
    return this.limiter.inflight + Math.round(this.#recentFailures());
  }

  /** Sends the request if the limiter has room. Returns whether it had. */
  trySend(done: (answer: Answer) => void): boolean {
    const permit = this.limiter.tryAcquire();
    if (permit === undefined) return false;
    this.server.serve((succeeded) => {
      if (!succeeded) this.#failures = this.#recentFailures() + this.failure;
      permit.release(succeeded ? 'ok' : 'dropped');
      done({ succeeded });
    });
    return true;
  }

  /** Failures decay exponentially, with a half-life of 30 seconds. */
  #recentFailures(): number {
    const now = this.simulation.now();
    this.#failures *= 0.5 ** ((now - this.#at) / 30_000);
    this.#at = now;
    return this.#failures;
  }
}

/** Sends each request to the best server with room; the others are queued. */
class Balancer {
  readonly #queue: ((answer: Answer) => void)[] = [];

  constructor(
    private readonly backends: readonly Backend[],
    private readonly random: () => number,
  ) {}

  send(answer: (answer: Answer) => void): void {
    this.#queue.push(answer);
    this.#serve();
  }

  #serve(): void {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const answer = first;
      if (
        !this.#trySend((result) => {
          answer(result);
          this.#serve();
        })
      )
        return;
      this.#queue.shift();
    }
  }

  #trySend(done: (answer: Answer) => void): boolean {
    const backends = this.backends.map((backend) => ({
      backend,
      score: backend.score,
      tie: this.random(),
    }));
    backends.sort((one, other) => one.score - other.score || one.tie - other.tie);
    return backends.some(({ backend }) => backend.trySend(done));
  }
}

/**
 * A client as in Dialogue: sends each attempt to the server with the fewest requests and failures, and retries four
 * times, after up to 250 ms, 500 ms, 1 s and 2 s.
 */
export function dialogueClient(
  simulation: Simulation,
  servers: readonly DialogueServer[],
  limit: number | LimitFactory,
  failure: number,
): Client {
  const backends = servers.map(
    (server) => new Backend(simulation, server, simulation.limiter({ limit }), failure),
  );
  const balancer = new Balancer(backends, simulation.random);
  const send: Send = (answer) => {
    balancer.send(answer);
    return () => {};
  };
  return new Client(simulation, send, { retries: 4, backoff: exponentialBackoff(250) });
}
