import { type LocalLimiter, type Permit, type Rejection, Waiter } from '@headgate/core';
import type { Answer } from '@headgate/simulator/client';
import type { Handlers } from '@headgate/simulator/event-loop/handlers';
import type { SimulatedLoop } from '@headgate/simulator/event-loop/simulated-loop';
import { READ_COST, REJECTION_COST } from '@headgate/simulator/event-loop/workload';
import type { Settings } from '../settings.ts';
import type { Call } from './calls.ts';
import type { Recorder } from './recorder.ts';

/** A server: its event loop, its limiter, and the handlers behind that. */
export interface Server {
  readonly loop: SimulatedLoop;
  readonly limiter: LocalLimiter;
  readonly handlers: Handlers;
  readonly order: Settings['order'];
  readonly recorder: Recorder;
}

/** A request of a client. */
export class ServerRequest extends Waiter {
  readonly #start: number;

  constructor(
    private readonly server: Server,
    private readonly call: Call,
    private readonly answer: (answer: Answer) => void,
  ) {
    super();
    this.#start = server.loop.now();
    // As in a middleware without the options `priority` and `fairBy`.
    if (server.order === 'byPriority' && call.isCritical) this.priority = 'critical';
    if (server.order === 'fair') this.fairBy = `tenant ${call.tenant}`;
  }

  arrive(): void {
    const { loop, limiter, recorder } = this.server;
    recorder.requests++;
    loop.spend(READ_COST);
    limiter.request(this);
  }

  granted(permit: Permit): void {
    const { handlers, recorder } = this.server;
    handlers.handle(this.call.work, () => {
      recorder.latencies.push(this.#elapsed);
      permit.release();
      this.answer({ succeeded: true });
    });
  }

  rejected({ retryAfter }: Rejection): void {
    const { loop, recorder } = this.server;
    loop.spend(REJECTION_COST);
    recorder.rejections.push(this.#elapsed);
    this.answer({ succeeded: false, retryAfter });
  }

  /** The client has given up. That does not stop work that has begun. */
  disconnect(): void {
    this.server.recorder.timeouts++;
    this.server.limiter.withdraw(this);
  }

  get #elapsed(): number {
    return this.server.loop.now() - this.#start;
  }
}
