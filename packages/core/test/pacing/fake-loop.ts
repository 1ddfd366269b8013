import { VirtualClock } from '@headgate/test-suite';
import type { EventLoop } from '../../src/index.ts';

/** An event loop on a virtual clock. The test decides when it polls and how long it is idle. */
export class FakeLoop extends VirtualClock implements EventLoop {
  readonly isMeasured = true;
  #idle = 0;
  #accepted = 0;
  #callbacks: (() => void)[] = [];

  idle(): number {
    return this.#idle;
  }

  accepted(): number {
    return this.#accepted;
  }

  whenPolled(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  /** Whether a callback waits for the next poll. */
  get isAwaited(): boolean {
    return this.#callbacks.length > 0;
  }

  poll(): void {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback();
  }

  accept(): void {
    this.#accepted++;
  }

  /** Waits for events; timers that are due run. */
  rest(milliseconds: number): void {
    this.#idle += milliseconds;
    this.advance(milliseconds);
  }

  /** Waits for events, and polls. */
  turn(milliseconds: number): void {
    this.rest(milliseconds);
    this.poll();
  }
}
