// Sends an admitted request to the provider, and corrects its weight while the answer is streamed.
import { reportRefusal, UsageReader } from '@headgate/ai';
import type { Permit } from '@headgate/core';
import type { Call } from './call.ts';
import { upstream } from './limits.ts';
import { firstToken, usedTokens } from './metrics.ts';
import { withoutUsage } from './without-usage.ts';

const provider = process.env.PROVIDER_URL ?? 'http://localhost:4000';
const key = process.env.PROVIDER_KEY ?? '';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

export async function ask(call: Call, permit: Permit): Promise<Answer> {
  const response = await fetch(provider + call.path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'x-api-key': key,
    },
    body: JSON.stringify(call.body),
    // Aborts when the client disconnects, since tokens that no client reads should not be paid for, and after `maxHold`.
    signal: permit.signal,
  });
  const { status } = response;
  const headers: Record<string, string> = {};
  for (const name of ['content-type', 'retry-after', 'retry-after-ms']) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const body = relay(response, call, permit);
  return { status, headers, body: call.hidesUsage ? withoutUsage(body) : body };
}

async function* relay(response: Response, call: Call, permit: Permit) {
  const { ok, body } = response;
  const reader = new UsageReader();
  const labels = { class: call.tenant.class };
  try {
    if (!ok) {
      const error = await response.text();
      // If the provider refuses most requests, stops the callers of all processes, instead of letting each find out.
      reportRefusal(upstream, response, error);
      yield new TextEncoder().encode(error);
      return;
    }
    for await (const chunk of body ?? []) {
      const { deltas } = reader;
      reader.push(chunk);
      if (deltas === 0 && reader.deltas > 0)
        firstToken.observe(labels, (performance.now() - call.since) / 1_000);
      // The answer is longer than estimated, which later requests of this tenant, and of others, must wait for.
      const tokens = tokensOf(reader, call.prompt);
      if (tokens > permit.weight) permit.adjust(tokens, call.limit);
      yield chunk;
    }
  } finally {
    // Also after a disconnect or an error: the tenant is charged for what it has used.
    const tokens = ok ? tokensOf(reader, call.prompt) : 0;
    permit.adjust(Math.max(1, tokens), call.limit);
    usedTokens.inc(labels, tokens);
  }
}

/** A token that is read from the provider's cache costs a tenth, and one that is written to it costs a quarter more. */
function tokensOf({ usage, deltas }: UsageReader, estimate: number): number {
  if (usage === undefined) return estimate + deltas;
  const { prompt, cacheRead, cacheWrite, output } = usage;
  return Math.ceil(prompt + 0.1 * cacheRead + 1.25 * cacheWrite + output);
}

/** The response to a request that the gateway could not complete, in a form that both SDKs read. */
export function failure(error: unknown): { status: number; body: object } {
  // A body parser's error has a status.
  const { code, status } = error as { code?: string; status?: number };
  const isTimeout = code === 'ERR_HEADGATE_MAX_HOLD';
  const message = isTimeout ? 'The provider is too slow' : 'The request has failed';
  const body = { type: 'error', error: { type: 'api_error', message } };
  return { status: status ?? (isTimeout ? 504 : 502), body };
}
