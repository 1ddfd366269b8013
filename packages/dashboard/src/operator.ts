import type { Clock, GateGuard, Limiter, Operation } from '@headgate/core';
import { HeadgateError } from '@headgate/core';
import { type BoundsByName, checkWithin } from './bounds.ts';
import { type PageRequest, type PageResponse, plain } from './page-request.ts';
import { limitReversions, resumptions } from './reversions.ts';

/** Maximum length of a request, in bytes. */
const MAX_LENGTH = 4_096;

/** Maximum time after which a limit is reverted, in minutes. */
const MAX_MINUTES = 1_440;

const operations = [
  'setLimit',
  'pause',
  'rejectAll',
  'resume',
  'shadow',
  'enforce',
] as const satisfies readonly Operation[];

/** What an operator requests. */
interface OperatorRequest {
  readonly id: unknown;
  readonly operation: unknown;
  readonly limit?: unknown;
  /** Number of minutes after which the earlier limit applies again, or a paused or rejecting limit resumes. */
  readonly minutes?: unknown;
}

/** Executes what operators request. */
export class Operator {
  #isClosed = false;

  constructor(
    private readonly find: (id: unknown) => Limiter | GateGuard | undefined,
    private readonly clock: Clock,
    private readonly bounds: BoundsByName = new Map(),
  ) {}

  /** Answers a request that is authorized to change limits. */
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

  /** Reverts at once all temporary changes. */
  close(): void {
    this.#isClosed = true;
    for (const reversions of [limitReversions, resumptions]) reversions.revertAllOf(this);
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
    } else if (minutes !== undefined && !isWhole(minutes, MAX_MINUTES)) {
      return plain(422, `minutes must be a whole number from 1 to ${MAX_MINUTES}`);
    } else if (known === 'setLimit') {
      this.#setLimit(target, limit as number | 'adaptive', minutes);
    } else {
      target[known]();
      if (known === 'pause' || known === 'rejectAll' || known === 'resume') {
        this.#scheduleResumption(target, minutes);
      }
    }
    return { status: 204, headers: {}, body: '' };
  }

  #scheduleResumption(limiter: Limiter, minutes: number | undefined): void {
    resumptions.forget(limiter);
    if (minutes === undefined || limiter.state === 'open') return;
    resumptions.schedule(limiter, { temporary: limiter.state, to: 'open' }, this.#after(minutes));
  }

  #setLimit(limiter: Limiter, limit: number | 'adaptive', minutes: number | undefined): void {
    const to = limitReversions.earlier(limiter);
    // `setLimit` itself refuses any other value that is not a whole number.
    if (limit !== 'adaptive' && Number.isInteger(limit))
      checkWithin(this.bounds.get(limiter.name), limit);
    limiter.setLimit(limit);
    limitReversions.forget(limiter);
    if (minutes === undefined) return;
    limitReversions.schedule(limiter, { temporary: limit, to }, this.#after(minutes));
  }

  #after(minutes: number) {
    return { delay: minutes * 60_000, clock: this.clock, owner: this };
  }
}

function isLimiter(target: Limiter | GateGuard): target is Limiter {
  return 'limit' in target;
}

/** The reason why the request is not read, or undefined if it is. */
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
