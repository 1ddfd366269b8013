// Which deployments serve a model, in the format of the client, and with which credentials.
import type { Limiter } from '@headgate/core';
import { deploymentLimit } from './limits.ts';

interface Provider {
  /** The paths of its API. A client gets the format that it has asked for. */
  readonly paths: readonly string[];
  readonly credentials: Readonly<Record<string, string>>;
  /**
   * Header fields of the client that the provider needs. The client's own key is never passed on, and neither is its
   * `idempotency-key`: tenants share the credentials, so one could get the answer of another.
   */
  readonly passedOn: readonly string[];
}

const openai: Provider = {
  paths: ['/v1/chat/completions', '/v1/responses'],
  credentials: { authorization: `Bearer ${process.env.OPENAI_API_KEY ?? ''}` },
  passedOn: ['openai-beta'],
};

const anthropic: Provider = {
  paths: ['/v1/messages'],
  credentials: { 'x-api-key': process.env.ANTHROPIC_API_KEY ?? '' },
  passedOn: ['anthropic-version', 'anthropic-beta'],
};

export const paths = [...openai.paths, ...anthropic.paths];

/** A deployment, with its limit and its pause. */
export class Deployment {
  readonly limiter: Limiter;

  constructor(
    readonly name: string,
    readonly model: string,
    readonly provider: Provider,
    readonly url: string,
    limit = 4,
  ) {
    this.limiter = deploymentLimit(name, limit);
  }
}

const fake = 'http://localhost:4000';
const { OPENAI_URL = fake, OPENAI_URL_2 = `${fake}/second`, ANTHROPIC_URL = fake } = process.env;

/** A placeholder for your configuration. */
export const deployments: readonly Deployment[] = [
  new Deployment('openai-large', 'large', openai, OPENAI_URL),
  new Deployment('openai-medium-1', 'medium', openai, OPENAI_URL),
  new Deployment('openai-medium-2', 'medium', openai, OPENAI_URL_2),
  new Deployment('openai-small', 'small', openai, OPENAI_URL),
  new Deployment('anthropic-large', 'large', anthropic, ANTHROPIC_URL),
  new Deployment('anthropic-small', 'small', anthropic, ANTHROPIC_URL),
];

/** The model that replaces others for clients that allow it. */
export const cheaper = 'small';

let turn = 0;

/** The deployments of the model, in rotation. */
export function deploymentsOf(path: string, model: string | undefined): Deployment[] {
  const all = deployments.filter(
    (each) => each.model === model && each.provider.paths.includes(path),
  );
  const first = turn++ % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}
