import { checkChoice } from '../checks.ts';
import type { Takes } from '../gate/takes.ts';
import { type BasePermit, type Outcome, outcomes } from '../limiter/permit.ts';
import type { Client } from './client.ts';
import type { Framework } from './framework.ts';
import { reasonOf } from './reason.ts';
import { type Door, Visit } from './visit.ts';

/** How to classify a response for an adaptive limit. */
export interface Judgement<R> {
  readonly framework: Pick<Framework<R>, 'response' | 'kind' | 'report'>;
  /** The app's `classify`; its errors are reported to the framework. */
  readonly classify: ((response: never) => Outcome) | undefined;
}

/** A gated request that is sampled: it reports its route and its outcome to an adaptive limit. */
export class JudgedVisit<R> extends Visit {
  constructor(
    door: Door,
    client: Client,
    takes: Takes,
    private readonly request: R,
    private readonly judgement: Judgement<R>,
  ) {
    super(door, client, takes);
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
