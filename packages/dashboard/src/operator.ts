import type { Clock, GateGuard, Limiter, Operation } from '@headgate/core';
import { HeadgateError } from '@headgate/core';
import { type BoundsByName, checkWithin } from './bounds.ts';
import { type PageRequest, type PageResponse, plain } from './page-request.ts';
import { idOf, type LimitView } from './view.ts';

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
  /** What has set it. */
  readonly operator: Operator;
  readonly timer: unknown;
}

/**
 * The limits of this process that return to an earlier value, whichever of its dashboards has set them: a second
 * dashboard must not take the temporary value of the first one for the earlier value.
 */
const pendingReversions = new Map<Limiter, Pending>();

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
  #isClosed = false;

  constructor(
    private readonly find: (id: unknown) => Limiter | GateGuard | undefined,
    readonly clock: Clock,
    private readonly bounds: BoundsByName = new Map(),
  ) {}

  /** The answer to a request that may operate. */
  async respond(request: PageRequest): Promise<PageResponse> {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return refusal;
    const requested = parse(await request.body());
    if (this.#isClosed) return plain(503, 'The dashboard is closed');
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

  /** Reverts at once what it would revert later. */
  close(): void {
    this.#isClosed = true;
    for (const [limiter, { operator }] of [...pendingReversions]) {
      if (operator === this) revert(limiter);
    }
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
      if (known === 'unfreeze') forget(target);
    }
    return { status: 204, headers: {}, body: '' };
  }

  #setLimit(limiter: Limiter, limit: number, minutes: number | undefined): void {
    const pending = pendingReversions.get(limiter);
    // A second temporary limit returns to the same value as the first, unless another was set meanwhile.
    const to = pending && applies(limiter, pending.temporary) ? pending.to : limiter.limit;
    // `setLimit` refuses what is no whole number.
    if (Number.isInteger(limit)) checkWithin(this.bounds.get(limiter.name), limit);
    limiter.setLimit(limit);
    forget(limiter);
    if (minutes === undefined) return;
    const delay = minutes * 60_000;
    const timer = this.clock.setTimeout(() => revert(limiter), delay);
    (timer as { unref?: () => void } | undefined)?.unref?.();
    const at = Math.round(this.clock.now() + delay);
    pendingReversions.set(limiter, { to, at, temporary: limit, operator: this, timer });
  }
}

/** The limits among these that return to an earlier value, by their id. */
export function reversionsOf(limits: readonly Pick<LimitView, 'id'>[]): Record<number, Reversion> {
  const shown = new Set(limits.map(({ id }) => id));
  const applying = [...pendingReversions].filter(
    ([limiter, { temporary }]) => shown.has(idOf(limiter)) && applies(limiter, temporary),
  );
  return Object.fromEntries(applying.map(([limiter, { to, at }]) => [idOf(limiter), { to, at }]));
}

function revert(limiter: Limiter): void {
  const pending = pendingReversions.get(limiter);
  forget(limiter);
  if (pending !== undefined && applies(limiter, pending.temporary)) limiter.setLimit(pending.to);
}

function forget(limiter: Limiter): void {
  const pending = pendingReversions.get(limiter);
  pending?.operator.clock.clearTimeout(pending.timer);
  pendingReversions.delete(limiter);
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
