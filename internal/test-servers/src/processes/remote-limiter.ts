import type { WaitOptions } from '@headgate/core';
import type { Failure } from './failure.ts';
import type { Granted, LimiterEvent, WorkerLimiter } from './worker-limiter.ts';
import type { WorkerProcess } from './worker-process.ts';

type Asked = Omit<WaitOptions, 'signal'>;
type Arguments<M> = M extends (...args: infer A) => unknown ? A : never;
type Result<M> = M extends (...args: never) => infer R ? Awaited<R> : never;

/** A permit that another process holds. */
export interface Held extends Granted {
  release(): Promise<number>;
  adjust(weight: number): Promise<void>;
  /** Resolves to the reason of the permit's signal when the signal aborts. */
  aborted(): Promise<Failure>;
  isAborted(): Promise<boolean>;
  /** The token that the permit has now. */
  token(): Promise<bigint | undefined>;
}

export interface Waiting {
  readonly held: Promise<Held>;
  abort(): Promise<void>;
}

let serial = 0;

/** A limiter in another process. */
export class RemoteLimiter<I extends WorkerLimiter = WorkerLimiter> {
  readonly events: LimiterEvent[] = [];
  #watchers: (() => void)[] = [];

  constructor(
    readonly worker: WorkerProcess,
    private readonly limiterId: () => number,
  ) {}

  record(event: LimiterEvent): void {
    this.events.push(event);
    for (const look of this.#watchers) look();
  }

  of(kind: string): LimiterEvent[] {
    return this.events.filter((one) => one.kind === kind);
  }

  /** Resolves to the latest event once `count` events of this kind have happened. */
  saw(
    kind: string,
    count = 1,
    which: (one: LimiterEvent) => boolean = () => true,
  ): Promise<LimiterEvent> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.of(kind).filter(which);
        const latest = found[count - 1];
        if (latest === undefined) return;
        this.#watchers = this.#watchers.filter((one) => one !== look);
        resolve(latest);
      };
      this.#watchers.push(look);
      look();
    });
  }

  do<M extends keyof I & string>(method: M, ...args: Arguments<I[M]>): Promise<Result<I[M]>> {
    return this.worker.call(this.limiterId(), method, ...args) as Promise<Result<I[M]>>;
  }

  async acquire(options: Asked = {}): Promise<Held> {
    return this.#acquire(++serial, options);
  }

  /** Enqueues a caller; resolves when it is queued. */
  async wait(options: Asked = {}): Promise<Waiting> {
    const count = this.of('queued').length + 1;
    const own = ++serial;
    const held = this.#acquire(own, options);
    const queued = this.saw('queued', count);
    const early = held.then(() => {
      throw new Error('the caller was granted a permit immediately');
    });
    held.catch(() => {});
    await Promise.race([queued, early]);
    early.catch(() => {});
    return { held, abort: () => this.#own('abort', own) };
  }

  end(): Promise<void> {
    return this.#own('end');
  }

  async #acquire(own: number, options: Asked): Promise<Held> {
    const granted = await this.#own('acquire', own, options);
    return {
      ...granted,
      release: () => this.#own('release', own),
      adjust: (weight) => this.#own('adjust', own, weight),
      aborted: () => this.#own('aborted', own),
      isAborted: () => this.#own('isAborted', own),
      token: () => this.#own('fencing', own),
    };
  }

  /** Calls a method that all kinds of limiters have. */
  #own<M extends keyof WorkerLimiter>(
    method: M,
    ...args: Parameters<WorkerLimiter[M]>
  ): Promise<Result<WorkerLimiter[M]>> {
    return this.worker.call(this.limiterId(), method, ...args) as Promise<Result<WorkerLimiter[M]>>;
  }
}
