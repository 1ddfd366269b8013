import { Alarm, type Clock } from '../clock.ts';
import type { Demand, Demands } from '../gate/demands.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { MAX_KINDS } from '../limits/limit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { ObservedRequest } from './observed-request.ts';

/** Milliseconds after which a handler counts as done if nothing shows whether it is. */
const MAX_MS = 30_000;

/** Milliseconds between two checks of the abandoned requests. */
const INTERVAL_MS = 250;

/**
 * A handler that seemed to stop with its client may run on. Then its kind of work is distrusted, until this many of its
 * handlers have stopped in a row.
 */
const DISTRUSTED_STOPS = 3;

/** A request whose client has left, and whose handler may still run. */
export class AbandonedRequest {
  since = 0;
  /** Whether the permit has been returned although the handler may still run. */
  hasReturned = false;

  constructor(
    readonly demands: Demands,
    /** What the handler does. Handlers of the same work wait for the same things. */
    readonly work: string,
    /** Requests that were admitted later have a higher number. */
    readonly number: number,
    /** Whether the handler looks like one that stops with its client. */
    public seemsToStop: boolean,
    /** Returns its permit. */
    readonly release: () => void,
  ) {}
}

/** Weight of abandoned requests: what they hold, and what they have returned although their handlers may still run. */
interface Weights {
  held: number;
  returned: number;
}

/** The weights of abandoned requests of all middleware, by limiter and key. */
const weights = new WeakMap<Limiter, Map<string | undefined, Weights>>();

/**
 * The abandoned requests of a middleware, of which nothing shows whether their handlers still run. Each holds its
 * permit until a request of the same work that was admitted later has been answered, or for `MAX_MS`. Meanwhile some
 * permits are returned: soon one, and within `MAX_MS` as many as are held. The requests that are admitted instead are
 * probes: their answers show that the work does not hang. So at most twice the limit of handlers run.
 */
export class AbandonedRequests {
  /** Number of requests whose handlers do not count as done. */
  size = 0;
  readonly #byWork = new Map<string, Set<AbandonedRequest>>();
  /**
   * The works whose handlers have responded after their clients had left, although they looked like handlers that stop
   * (a logger may listen for `close`). The value is the number of handlers that must stop before they are trusted.
   */
  readonly #distrusted = new Map<string, number>();
  readonly #alarm: Alarm;

  constructor(private readonly clock: Clock) {
    this.#alarm = new Alarm(clock, (now) => this.#check(now), true);
  }

  /**
   * The client of this request has left. Holds its permit until something shows that its handler is done.
   *
   * @param done Ends the permit.
   */
  hold(
    request: AbandonedRequest,
    permit: BasePermit,
    exchange: Pick<ObservedRequest, 'whenDone' | 'whenDisconnectRead'>,
    done: () => void,
  ): void {
    let isAbandoned = false;
    exchange.whenDone(() => {
      done();
      if (isAbandoned) this.finishedLate(request);
    });
    if (permit.released) return;
    isAbandoned = true;
    permit.countAbandoned();
    this.add(request);
    exchange.whenDisconnectRead(() => this.showsStop(request));
  }

  add(request: AbandonedRequest): void {
    const { work, seemsToStop, demands } = request;
    if (seemsToStop && !this.#distrusted.has(work)) return request.release();
    request.since = this.clock.now();
    this.size++;
    this.#byWork.set(work, (this.#byWork.get(work) ?? new Set()).add(request));
    for (const demand of demands) change(demand, 'held', demand.weight);
    this.#alarm.set(request.since + INTERVAL_MS, request.since);
  }

  /** The handler looks like one that stops. */
  showsStop(request: AbandonedRequest): void {
    request.seemsToStop = true;
    if (!this.#distrusted.has(request.work)) this.#remove(request);
  }

  /** The handler is done, and has shown that it did not stop with its client. */
  finishedLate(request: AbandonedRequest): void {
    const { work, number, seemsToStop } = request;
    this.#remove(request);
    this.answered(work, number);
    if (seemsToStop && (this.#distrusted.has(work) || this.#distrusted.size < MAX_KINDS))
      this.#distrusted.set(work, DISTRUSTED_STOPS);
  }

  /** A request has been answered, so requests of the same work that were admitted earlier count as done. */
  answered(work: string, number: number): void {
    const earlier = [...(this.#byWork.get(work) ?? [])].filter((one) => one.number < number);
    if (earlier.some(({ seemsToStop }) => seemsToStop)) this.#hasStopped(work);
    for (const request of earlier) this.#remove(request);
  }

  #hasStopped(work: string): void {
    const left = (this.#distrusted.get(work) ?? 0) - 1;
    if (left > 0) this.#distrusted.set(work, left);
    else this.#distrusted.delete(work);
  }

  /** The handler of this request is done, or counts as done. */
  #remove(request: AbandonedRequest): void {
    const { work, demands, hasReturned } = request;
    const requests = this.#byWork.get(work);
    if (requests?.delete(request) !== true) return;
    this.size--;
    if (requests.size === 0) this.#byWork.delete(work);
    for (const demand of demands) change(demand, hasReturned ? 'returned' : 'held', -demand.weight);
    if (!hasReturned) request.release();
  }

  /** Returns the permit of a request abandoned `age` milliseconds ago, unless too many have been returned already. */
  #probe(request: AbandonedRequest, age: number): void {
    const { demands, hasReturned } = request;
    if (hasReturned || demands.length === 0 || !demands.every((demand) => mayReturn(demand, age)))
      return;
    request.hasReturned = true;
    for (const demand of demands) {
      change(demand, 'held', -demand.weight);
      change(demand, 'returned', demand.weight);
    }
    request.release();
  }

  #check(now: number): void {
    for (const request of [...this.#byWork.values()].flatMap((requests) => [...requests])) {
      const age = now - request.since;
      if (age >= MAX_MS) this.#remove(request);
      else this.#probe(request, age);
    }
    if (this.size > 0) this.#alarm.set(now + INTERVAL_MS, now);
  }
}

/** Whether another request of this age may return its weight. The square root makes the first probes early. */
function mayReturn({ limiter, key, weight }: Demand, age: number): boolean {
  const { held = 0, returned = 0 } = weights.get(limiter)?.get(key) ?? {};
  return returned + weight <= Math.ceil(Math.sqrt(age / MAX_MS) * held);
}

function change({ limiter, key }: Demand, which: keyof Weights, by: number): void {
  const keys = weights.get(limiter) ?? new Map<string | undefined, Weights>();
  weights.set(limiter, keys);
  const known = keys.get(key) ?? { held: 0, returned: 0 };
  known[which] += by;
  if (known.held + known.returned > 0) keys.set(key, known);
  else keys.delete(key);
}
