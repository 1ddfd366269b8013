import type { Clock, GateGuard, Limiter, Operation } from '@headgate/core';
import { HeadgateError } from '@headgate/core';
import { type BoundsByName, checkWithin } from './bounds.ts';
import { type PageRequest, type PageResponse, plain } from './page-request.ts';
import { idOf } from './view.ts';

/** Maximum length of a request, in bytes. */
const MAX_LENGTH = 4_096;

/** Maximum time after which a limit is reverted, in minutes. */
const MAX_MINUTES = 1_440;

/** A limit that returns to its earlier value. */
export interface Reversion {
  /** The earlier value. */
  readonly to: number;
  /** When, in milliseconds of the process's clock. */
  readonly at: number;
}

interface Pending extends Reversion {
  /** The limit that applies until then. */
  readonly temporary: number;
  readonly timer: unknown;
}

const operations = [
  'setLimit',
  'pause',
  'drain',
  'resume',
  'shadow',
  'enforce',
  'freeze',
  'unfreeze',
] as const satisfies readonly Operation[];

/** What an operator requests. */
interface OperatorRequest {
  readonly id: unknown;
  readonly operation: unknown;
  readonly limit?: unknown;
  /** After how many minutes the earlier limit applies again. */
  readonly minutes?: unknown;
}

/** Executes what operators request. */
export class Operator {
  readonly #pending = new Map<Limiter, Pending>();

  constructor(
    private readonly find: (id: unknown) => Limiter | GateGuard | undefined,
    private readonly clock: Clock,
    private readonly bounds: BoundsByName = new Map(),
  ) {}

  /** The answer to a request that may operate. */
  async respond(request: PageRequest): Promise<PageResponse> {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return refusal;
    const requested = parse(await request.body());
    if (requested === undefined) return plain(400, 'The body must be a JSON object');
    const target = this.find(requested.id);
    if (target === undefined) return plain(404, 'There is no such limit any more');
    try {
      return this.#execute(target, requested);
    } catch (error) {
      if (!(error instanceof HeadgateError)) throw error;
      return plain(error.code === 'ERR_HEADGATE_UNSUPPORTED' ? 409 : 422, error.message);
    }
  }

  /** By the id of the limit. */
  get reversions(): Record<number, Reversion> {
    const applying = [...this.#pending].filter(([limiter, { temporary }]) =>
      applies(limiter, temporary),
    );
    return Object.fromEntries(applying.map(([limiter, { to, at }]) => [idOf(limiter), { to, at }]));
  }

  /** Reverts at once what would be reverted later. */
  close(): void {
    for (const limiter of [...this.#pending.keys()]) this.#revert(limiter);
  }

  #execute(
    target: Limiter | GateGuard,
    { operation, limit, minutes }: OperatorRequest,
  ): PageResponse {
    const known = operations.find((name) => name === operation);
    if (known === undefined) {
      return plain(422, `operation must be one of ${operations.join(', ')}`);
    }
    if (!isLimiter(target)) {
      if (known !== 'shadow' && known !== 'enforce') {
        return plain(409, `guard "${target.name}" supports ${target.operations.join(', ')}`);
      }
      target[known]();
    } else if (known === 'setLimit') {
      if (minutes !== undefined && !isWhole(minutes, MAX_MINUTES)) {
        return plain(422, `minutes must be a whole number from 1 to ${MAX_MINUTES}`);
      }
      this.#setLimit(target, limit as number, minutes);
    } else {
      target[known]();
      // The algorithm's own limit has replaced the one that was set.
      if (known === 'unfreeze') this.#forget(target);
    }
    return { status: 204, headers: {}, body: '' };
  }

  #setLimit(limiter: Limiter, limit: number, minutes: number | undefined): void {
    const pending = this.#pending.get(limiter);
    // A second temporary limit returns to the same value as the first, unless another was set meanwhile.
    const to = pending && applies(limiter, pending.temporary) ? pending.to : limiter.limit;
    // `setLimit` refuses what is no whole number.
    if (Number.isInteger(limit)) checkWithin(this.bounds.get(limiter.name), limit);
    limiter.setLimit(limit);
    this.#forget(limiter);
    if (minutes === undefined) return;
    const delay = minutes * 60_000;
    const timer = this.clock.setTimeout(() => this.#revert(limiter), delay);
    (timer as { unref?: () => void } | undefined)?.unref?.();
    const at = Math.round(this.clock.now() + delay);
    this.#pending.set(limiter, { to, at, temporary: limit, timer });
  }

  #revert(limiter: Limiter): void {
    const pending = this.#pending.get(limiter);
    this.#forget(limiter);
    if (pending !== undefined && applies(limiter, pending.temporary)) limiter.setLimit(pending.to);
  }

  #forget(limiter: Limiter): void {
    this.clock.clearTimeout(this.#pending.get(limiter)?.timer);
    this.#pending.delete(limiter);
  }
}

function isLimiter(target: Limiter | GateGuard): target is Limiter {
  return 'limit' in target;
}

/** Whether the limit is still the one that was set: if not, the later one stays. */
function applies({ closed, limit, isAdaptive, frozen }: Limiter, set: number): boolean {
  return !closed && limit === set && (!isAdaptive || frozen);
}

/** Why the request is not read; undefined if it is. */
function refusalOf(request: PageRequest): PageResponse | undefined {
  const type = request.header('content-type') ?? '';
  if (!/^application\/json *(;|$)/.test(type)) {
    return plain(415, 'Content-Type must be application/json');
  }
  const length = request.header('content-length');
  if (length === undefined) return plain(411, 'Content-Length must be set');
  return Number(length) > MAX_LENGTH ? plain(413, 'The body is too long') : undefined;
}

function parse(body: unknown): OperatorRequest | undefined {
  let value = body;
  try {
    if (typeof body === 'string') value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as OperatorRequest) : undefined;
}

function isWhole(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
}
