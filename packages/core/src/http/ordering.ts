import { checkFunction } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { Order } from '../limiter/line.ts';
import { byParty } from '../limiter/orders/by-party.ts';
import { byPriority } from '../limiter/orders/by-priority.ts';
import { checkPriority, type Priority } from '../limiter/priority.ts';
import type { Waiter } from '../limiter/waiter.ts';

interface OrderingOptions<R> {
  readonly order?: Order | undefined;
  readonly priority?: ((request: R) => Priority) | undefined;
  readonly fairBy?: ((request: R) => string) | undefined;
}

/** What the app says of requests that wait, and the order that it makes of them. */
export class Ordering<R> {
  /** For the lines of the middleware's own; undefined where nothing was said. */
  readonly order: Order | undefined;
  readonly #priority: ((request: R) => Priority) | undefined;
  readonly #fairBy: ((request: R) => string) | undefined;

  constructor({ order, priority, fairBy }: OrderingOptions<R>) {
    this.#priority = checkFunction('priority', priority);
    this.#fairBy = checkFunction('fairBy', fairBy);
    const within = fairBy === undefined ? order : byParty(order);
    this.order = priority === undefined ? within : byPriority(within);
  }

  /** Says of the waiter what the app says of the request; throws what the app's functions throw. */
  assign(waiter: Waiter, request: R): void {
    if (this.#priority !== undefined) {
      waiter.priority = checkPriority(this.#priority(request));
    }
    if (this.#fairBy !== undefined) waiter.party = checkParty(this.#fairBy(request));
  }
}

/** @throws HeadgateError for wishes that no line could follow: all lines are a store's, and in order of arrival. */
export function checkUnordered<R>({
  priority,
  fairBy,
  guard,
}: OrderingOptions<R> & { readonly guard?: unknown }): void {
  if (fairBy !== undefined)
    throw invalid('fairBy', 'left out where all limits have a store', fairBy);
  // A guard asks for the class, too.
  if (priority === undefined || guard !== undefined) return;
  throw invalid(
    'priority',
    'left out where all limits have a store and there is no guard',
    priority,
  );
}

function checkParty(party: unknown): string {
  if (typeof party === 'string') return party;
  throw invalid('fairBy', 'a function that returns a string', party);
}
