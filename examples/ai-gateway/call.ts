// What the gateway knows of a request before the limit: which tenant sends it, and how many tokens it may use.
import { anthropicError, openaiError, type Refusal } from '@headgate/ai';
import type { Priority, Rejection } from '@headgate/core';

interface Tenant {
  readonly id: string;
  readonly class: 'interactive' | 'batch';
}

/** A placeholder for the records of your API keys. They decide the class, never a header of the client. */
const tenants = new Map<string, Tenant>([
  ['sk-ann', { id: 'ann', class: 'interactive' }],
  ['sk-bob', { id: 'bob', class: 'interactive' }],
  ['sk-crawler', { id: 'crawler', class: 'batch' }],
]);

export const paths = ['/v1/chat/completions', '/v1/messages'];

/** The fields that the gateway reads. All others are passed on. */
export interface Body {
  model?: string;
  stream?: boolean;
  max_tokens?: number;
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
    private readonly allowsFallback: boolean,
  ) {
    this.prompt = Math.ceil(JSON.stringify(body).length / 4);
    const isStream = this.isOpenAI && Boolean(body.stream);
    this.hidesUsage = isStream && body.stream_options?.include_usage !== true;
    if (isStream) body.stream_options = { ...body.stream_options, include_usage: true };
  }

  get priority(): Priority {
    return this.tenant.class === 'interactive' ? 'normal' : 'low';
  }

  /** The weight of the request: tokens of the prompt and of the answer. */
  get estimate(): number {
    const max = Number(this.body.max_tokens) || USUAL_ANSWER;
    return this.prompt + Math.ceil(Math.min(max, USUAL_ANSWER));
  }

  /** Uses a cheaper model, which has a limit of its own. Returns false if the client does not allow that. */
  degrade(): boolean {
    if (!this.allowsFallback) return false;
    this.body.model = 'small';
    this.limit = 'fallback';
    return true;
  }

  /** The response to a rejected request, in the form that the client's SDK understands and retries. */
  refusal(rejection: Rejection): Refusal {
    return this.isOpenAI ? openaiError(rejection) : anthropicError(rejection);
  }

  private get isOpenAI(): boolean {
    return this.path === '/v1/chat/completions';
  }
}

/** Returns undefined for an unknown API key. */
export function callOf(
  path: string,
  body: Body,
  header: (name: string) => string | undefined,
): Call | undefined {
  const key = header('x-api-key') ?? header('authorization')?.replace('Bearer ', '') ?? '';
  const tenant = tenants.get(key);
  return tenant && new Call(tenant, path, body, header('x-allow-fallback') === 'true');
}
