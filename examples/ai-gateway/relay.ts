// Sends an admitted request to the provider, and corrects its weight while the answer is streamed.
import { reportRefusal } from '@headgate/ai';
import type { Permit } from '@headgate/core';
import type { Call } from './call.ts';
import { upstream } from './limits.ts';
import { firstToken, usedTokens } from './metrics.ts';
import { Usage } from './usage.ts';

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
  return { status, headers, body: relay(response, call, permit) };
}

async function* relay(response: Response, call: Call, permit: Permit) {
  const { ok, body } = response;
  const usage = new Usage(ok ? call.prompt : 0);
  const labels = { class: call.tenant.class };
  try {
    if (!ok) {
      const error = await response.text();
      // If the provider refuses most requests, stops the callers of all processes, instead of letting each find out.
      reportRefusal(upstream, response, error);
      yield new TextEncoder().encode(error);
      return;
    }
    for await (const event of eventsIn(body)) {
      const { hasBegun } = usage;
      const isOnlyUsage = usage.add(event);
      if (usage.hasBegun && !hasBegun)
        firstToken.observe(labels, (performance.now() - call.since) / 1_000);
      // The answer is longer than estimated, which later requests of this tenant, and of others, must wait for.
      if (usage.tokens > permit.weight) permit.adjust(usage.tokens, call.limit);
      if (!isOnlyUsage || !call.hidesUsage) yield new TextEncoder().encode(event);
    }
  } finally {
    // Also after a disconnect or an error: the tenant is charged for what it has used.
    permit.adjust(Math.max(1, usage.tokens), call.limit);
    usedTokens.inc(labels, usage.tokens);
  }
}

/** Splits a body into server-sent events. Some servers end lines with `\r\n`. Another body is one event. */
async function* eventsIn(body: Response['body']) {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) yield `${event}\n\n`;
  }
  if (rest !== '') yield rest;
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
