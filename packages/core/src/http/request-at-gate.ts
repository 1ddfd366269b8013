import type { Demand, Demands } from '../gate/demands.ts';
import type { Guard } from '../gate/options.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { Waiter } from '../semaphore/waiter.ts';
import type { Admission } from './admission.ts';
import type { ObservedRequest } from './observed-request.ts';

/** Maximum number of inner requests that run on one permit at once. It bounds what a client can start with one request. */
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

/** Number of requests admitted by any middleware. */
let admissions = 0;

/** A request at one gate: what it needs, what it holds, and what it lends to the requests that its handler makes. */
export abstract class RequestAtGate extends Waiter {
  /** The permit, once the request has been admitted. */
  permit: BasePermit | undefined = undefined;
  /** Requests that were admitted later have a higher number. */
  number = 0;
  /** The inner requests that run on the permit; undefined if there were none. */
  private inner: InnerRequests | undefined = undefined;

  constructor(
    protected readonly settings: { readonly guard: Guard | undefined },
    /** The request and its response. */
    readonly exchange: ObservedRequest,
    /** What the request needs of each limit. */
    readonly demands: Demands,
    /** The same request at an earlier middleware. */
    readonly outer: RequestAtGate | undefined,
  ) {
    super();
  }

  /** What the handler may know of the admission. */
  abstract readonly admission: Admission;
  /** Whether the request is queued now. */
  abstract readonly isQueued: boolean;

  /** Starts holding this permit. */
  admit(permit: BasePermit): void {
    this.permit = permit;
    this.number = ++admissions;
  }

  /** Whether the request already holds a permit of this limiter and key. */
  holds({ limiter, key }: Demand): boolean {
    if (this.permit?.released !== false) return false;
    return this.demands.some((demand) => demand.limiter === limiter && demand.key === key);
  }

  /** Whether an inner request with this demand may run on the permit. */
  lends(demand: Demand): boolean {
    const { permit, inner } = this;
    if (permit === undefined || permit.isOwnerDone || inner?.isFull || !this.holds(demand))
      return false;
    return permit.counts(demand.limiter.name);
  }

  /** Holds the permit until an inner request is done. */
  lend(exchange: ObservedRequest, done: Promise<void>): void {
    this.inner ??= new InnerRequests();
    this.permit?.waitUntil(this.inner.add(exchange, done));
  }

  /** Whether the handler of an inner request works on the permit, rather than waits for its client. */
  get worksInside(): boolean {
    return this.inner?.areWorking ?? false;
  }

  /** Whether this guard has already admitted the request. */
  wasAdmittedBy(guard: Guard): boolean {
    return this.settings.guard === guard;
  }
}
