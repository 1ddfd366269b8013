import { createLimiter } from '@headgate/core';

/** What the tests read about the limits of a server. */
export interface Counts {
  readonly holders: number;
  readonly queued: number;
  /** The calls that have begun, in order. */
  readonly begun: readonly string[];
  /** The calls whose signal has aborted. */
  readonly aborted: readonly string[];
}

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** The limits and the work of the tools. The test observes and controls them through tools without a limit. */
export class Tools {
  readonly limiter = createLimiter({
    ...{ name: 'tools', limit: 1, queueLimit: 1, queueTimeout: Infinity },
  });
  readonly perSession = createLimiter({
    ...{ name: 'sessions', limit: 1, queueLimit: 0, perKey: true },
  });
  readonly #running = new Map<string, () => void>();
  readonly #finished = new Set<string>();
  readonly #begun: string[] = [];
  readonly #aborted: string[] = [];

  /** Runs until the test finishes it, even if its signal aborts. */
  async work(id: string, signal: AbortSignal) {
    this.#begun.push(id);
    const abort = () => this.#aborted.push(id);
    signal.addEventListener('abort', abort);
    const finished = new Promise<void>((resolve) => this.#running.set(id, resolve));
    if (!this.#finished.has(id)) await finished;
    signal.removeEventListener('abort', abort);
    return textResult(`done: ${id}`);
  }

  async fail(): Promise<never> {
    throw new Error('failed on purpose');
  }

  finish(id: string) {
    this.#finished.add(id);
    this.#running.get(id)?.();
    return textResult('finished');
  }

  counts() {
    const { limiter, perSession } = this;
    const counts: Counts = {
      holders: limiter.holders + perSession.holders,
      queued: limiter.queued + perSession.queued,
      begun: this.#begun,
      aborted: this.#aborted,
    };
    return textResult(JSON.stringify(counts));
  }
}
