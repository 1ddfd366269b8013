import type { Suggestion } from '../semaphore/shadow-stats.ts';
import type { ShadowedRequest, Variant } from './variant.ts';

const MAX_CANDIDATES = 16;

const ASSUMPTION = 'the duration of requests does not depend on the limit';

/**
 * Simulates other values of a limit: powers of two. The next power is added when the highest so far would not have
 * admitted a request at once. Until then, all higher limits would have admitted the same requests at the same times.
 */
export class CandidateLimits<Demands> {
  readonly #candidates: Variant<Demands>[];

  constructor(
    private readonly make: (limit: number) => Variant<Demands>,
    /** The limit with its present value. */
    private readonly current: Variant<Demands>,
  ) {
    this.#candidates = [make(1)];
  }

  /** @param inflight Earlier requests that have not ended, in order of arrival. */
  request(
    request: ShadowedRequest<Demands>,
    inflight: () => Iterable<ShadowedRequest<Demands>>,
  ): void {
    let isAdmitted = false;
    for (const candidate of this.#candidates) isAdmitted = candidate.request(request);
    while (!isAdmitted && this.#candidates.length < MAX_CANDIDATES) {
      const highest = this.#candidates.at(-1) as Variant<Demands>;
      const next = this.make(2 ** this.#candidates.length);
      next.takeOver(highest, inflight());
      this.#candidates.push(next);
      isAdmitted = next.request(request);
    }
  }

  get suggestion(): Suggestion {
    const variants = new Map<number, Variant<Demands>>();
    for (const variant of [...this.#candidates, this.current])
      if (variant.limit !== undefined) variants.set(variant.limit, variant);
    const limits = [...variants]
      .sort(([one], [other]) => one - other)
      .map(([limit, { forecast, inflightPeak }]) => ({ limit, ...forecast, inflightPeak }));
    const below = (share: number) =>
      limits.find(({ rejectedShare }) => rejectedShare < share)?.limit;
    const lowest = { '5%': below(0.05), '1%': below(0.01), '0.1%': below(0.001) };
    return { assumption: ASSUMPTION, limits, lowest };
  }
}
