// What the gateway knows of a request before the limit: which tenant sends it, and how many tokens it may use.
import { anthropicError, openaiError, type Refusal } from '@headgate/ai';
import type { Priority, Rejection } from '@headgate/core';
import { cheaper, type Deployment, deploymentsOf } from './deployments.ts';

interface Tenant {
  readonly id: string;
  readonly class: 'interactive' | 'batch';
}

/** A placeholder for the table of your API keys. They decide the class, never a header of the client. */
const tenants = new Map<string, Tenant>([
  ['sk-ann', { id: 'ann', class: 'interactive' }],
  ['sk-bob', { id: 'bob', class: 'interactive' }],
  ['sk-crawler', { id: 'crawler', class: 'batch' }],
]);

/** A placeholder for the query. Cache what it returns, since each request needs it. */
async function tenantOf(key: string): Promise<Tenant | undefined> {
  return tenants.get(key);
}

/** The fields that the gateway reads. All others are passed on. */
export interface Body {
  model?: string;
  stream?: boolean;
  max_tokens?: number;
  max_completion_tokens?: number;
  max_output_tokens?: number;
  stream_options?: { include_usage?: boolean };
}

/** Tokens that an answer usually has. The estimate is corrected while the answer is streamed. */
const USUAL_ANSWER = 100;

export class Call {
  readonly since = performance.now();
  /** Tokens of the prompt, as a guess: English text has about four letters per token. */
  readonly prompt: number;
  /** The limit that counts the tokens of this request. */
  limit: 'tokens' | 'fallback' = 'tokens';
  /** The provider sends the usage of an OpenAI stream only on request. A client that has not asked does not expect it. */
  readonly hidesUsage: boolean;

  constructor(
    readonly tenant: Tenant,
    readonly path: string,
    readonly body: Body,
    /** Those of the model, the one to try first at the beginning. */
    public deployments: readonly Deployment[],
    readonly header: (name: string) => string | undefined,
  ) {
    this.prompt = Math.ceil(JSON.stringify(body).length / 4);
    const isStream = path === '/v1/chat/completions' && Boolean(body.stream);
    this.hidesUsage = isStream && body.stream_options?.include_usage !== true;
    if (isStream) body.stream_options = { ...body.stream_options, include_usage: true };
  }

  get priority(): Priority {
    return this.tenant.class === 'interactive' ? 'normal' : 'low';
  }

  /** The weight of the request: tokens of the prompt and of the answer. */
  get estimate(): number {
    const { max_tokens, max_completion_tokens, max_output_tokens } = this.body;
    const max = Number(max_tokens ?? max_completion_tokens ?? max_output_tokens) || USUAL_ANSWER;
    return this.prompt + Math.ceil(Math.min(max, USUAL_ANSWER));
  }

  /** Uses a cheaper model, whose tokens have a limit of their own. Returns false if the client does not allow that. */
  degrade(): boolean {
    if (!this.useCheaperModel()) return false;
    this.limit = 'fallback';
    return true;
  }

  useCheaperModel(): boolean {
    if (this.header('x-allow-fallback') !== 'true' || this.body.model === cheaper) return false;
    this.body.model = cheaper;
    this.deployments = deploymentsOf(this.path, cheaper);
    return true;
  }

  /** The response to a rejected request, in the form that the client's SDK understands and retries. */
  refusal(rejection: Rejection): Refusal {
    return this.path === '/v1/messages' ? anthropicError(rejection) : openaiError(rejection);
  }
}

/** Returns the status of the error for an unknown API key or model. */
export async function callOf(
  path: string,
  body: Body,
  header: (name: string) => string | undefined,
): Promise<Call | 401 | 404> {
  const key = header('x-api-key') ?? header('authorization')?.replace('Bearer ', '') ?? '';
  const tenant = await tenantOf(key);
  if (tenant === undefined) return 401;
  const deployments = deploymentsOf(path, body.model);
  return deployments.length === 0 ? 404 : new Call(tenant, path, body, deployments, header);
}
