import { checkChoice } from '../checks.ts';
import type { Demands } from '../gate/demands.ts';
import { type Outcome, outcomes } from '../limits/limit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Exchange } from './exchange.ts';
import type { Framework } from './framework.ts';
import { GatedRequest, type GatedRequestSettings } from './gated-request.ts';
import { reasonOf } from './reason.ts';

/** How to classify a response for an adaptive limit. */
export interface Sampling<R> {
  readonly framework: Pick<Framework<R>, 'response' | 'kind' | 'report'>;
  /** The app's `classify`; its errors are reported to the framework. */
  readonly classify: ((response: never) => Outcome) | undefined;
}

/** A gated request that is sampled: it reports its route and its outcome to an adaptive limit. */
export class SampledRequest<R> extends GatedRequest {
  constructor(
    settings: GatedRequestSettings,
    client: Exchange,
    demands: Demands,
    private readonly request: R,
    private readonly judgement: Sampling<R>,
  ) {
    super(settings, client, demands);
  }

  protected override outcome(permit: BasePermit): Outcome {
    const { request } = this;
    const { framework, classify } = this.judgement;
    try {
      permit.kind ??= framework.kind(request);
      const outcome = classify?.(framework.response(request) as never) ?? 'ok';
      return checkChoice('classify', outcome, outcomes);
    } catch (error) {
      framework.report(request, reasonOf(error));
      return 'ignored';
    }
  }
}
