import { Alarm, type Clock } from '../clock.ts';
import type { Handle } from '../limiter/limiter.ts';
import type { Outcome } from '../limits/limit.ts';
import { type Linked, LinkedList } from '../linked-list.ts';
import type { BasePermit } from '../semaphore/permit.ts';

/** Milliseconds between two checks of the requests. Checks are more frequent while requests are queued. */
const INTERVAL_MS = { queued: 10, usual: 100 };

/**
 * Number of checks after the latest request until the checks pause. They resume with the next request. It is half a
 * minute.
 */
const MAX_QUIET_CHECKS = 300;

/** A request that holds a permit of the default limit. */
interface AdmittedRequest extends Linked<AdmittedRequest> {
  readonly exchange: {
    readonly headersSent: boolean;
    readonly awaitsBody: boolean;
    readonly isQueued: boolean;
    whenBodyEnds(callback: () => void): void;
  };
  /** Whether the handler of an inner request works on the permit. */
  readonly worksInside: boolean;
  readonly permit: BasePermit | undefined;
  readonly outcomeOf: ((permit: BasePermit) => Outcome) | undefined;
}

/**
 * Tracks the requests that hold a permit of the default limit. A request does not count while it only waits for its
 * client: while its handler waits for the rest of the body, and once the response is being sent. Otherwise slow
 * uploads, slow downloads and open event streams would hold all permits of an idle server.
 */
export class SlowClients {
  /** The requests whose response has not begun. */
  readonly #requests = new LinkedList<AdmittedRequest>();
  /** The requests whose body was incomplete at some check. */
  readonly #uploads = new WeakSet<AdmittedRequest>();
  readonly #alarm: Alarm;
  /** Number of checks since the latest request was admitted. Checks while requests are queued do not count. */
  #quietChecks = 0;
  #checkedAt = -Infinity;

  constructor(
    private readonly gate: Pick<Handle, 'queued'>,
    private readonly clock: Clock,
  ) {
    this.#alarm = new Alarm(clock, (now) => this.#check(now), true);
  }

  /** The request has been admitted. */
  add(request: AdmittedRequest): void {
    const isChecked = this.#requests.oldest !== undefined && this.#quietChecks < MAX_QUIET_CHECKS;
    this.#requests.add(request);
    this.#quietChecks = 0;
    if (!isChecked) this.#checkWithin(INTERVAL_MS.usual);
  }

  /** The response has ended. */
  delete(request: AdmittedRequest): void {
    this.#requests.remove(request);
  }

  /** A request has been queued. */
  queued(): void {
    this.#checkWithin(INTERVAL_MS.queued);
  }

  #checkWithin(milliseconds: number): void {
    const now = this.clock.now();
    this.#alarm.set(now + milliseconds, now);
  }

  #check(now: number): void {
    const begun: AdmittedRequest[] = [];
    const awaiting: AdmittedRequest[] = [];
    // Copied, since a request that counts again may be answered, and leave the list.
    for (const request of [...this.#requests]) {
      const { exchange, worksInside, permit } = request;
      if (worksInside) continue;
      if (exchange.headersSent) begun.push(request);
      else if (exchange.awaitsBody) awaiting.push(request);
      // A request that is queued at an inner limit counts again when that limit admits it.
      else if (!exchange.isQueued) permit?.countAgain();
    }
    for (const request of begun) this.#requests.remove(request);
    // First, requests whose body has arrived count again. Only then may both of the following steps make room for
    // waiters.
    const sinceCheck = now - this.#checkedAt;
    this.#checkedAt = now;
    for (const { permit, outcomeOf } of begun) {
      permit?.stopCounting(outcomeOf?.(permit) ?? 'ok', sinceCheck);
    }
    for (const request of awaiting) this.#pause(request);
    if (this.#requests.oldest === undefined) return;
    const { queued, usual } = INTERVAL_MS;
    if (this.gate.queued > 0) return this.#alarm.set(now + queued, now);
    // Stops in the end: otherwise a test that runs all its fake timers would never finish.
    if (++this.#quietChecks < MAX_QUIET_CHECKS) this.#alarm.set(now + usual, now);
  }

  /**
   * Stops counting a request whose body is incomplete, until the body has arrived. If it counted again only at the next
   * check, its work would look shorter than it is.
   */
  #pause(request: AdmittedRequest): void {
    const { exchange, permit } = request;
    permit?.pauseCounting();
    if (this.#uploads.has(request)) return;
    this.#uploads.add(request);
    exchange.whenBodyEnds(() => permit?.countAgain());
  }
}
