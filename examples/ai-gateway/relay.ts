// Sends an admitted request to the provider, and corrects its weight while the answer is streamed.
import { reportRefusal, UsageReader } from '@headgate/ai';
import { type Permit, RejectedError } from '@headgate/core';
import type { Call } from './call.ts';
import type { Deployment } from './deployments.ts';
import { queueTimeout } from './limits.ts';
import { firstToken, usedTokens } from './metrics.ts';
import { withoutUsage } from './without-usage.ts';

/** Header fields of the provider that its clients read. */
const answered =
  /^(content-type|retry-after|retry-after-ms|x-should-retry|(x-)?request-id)$|ratelimit/;

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * @param permit The one for the tokens. Its signal aborts when the client disconnects, since tokens that no client reads
 *   should not be paid for, and after `maxHold`.
 * @throws RejectedError if no deployment admits the request in time.
 */
export async function ask(call: Call, permit: Permit): Promise<Answer> {
  const { signal } = permit;
  const { deployment, held } = await enter(call, signal);
  // The body may never be read.
  signal.addEventListener('abort', () => held.release());
  try {
    return await answerOf(call, permit, deployment, held);
  } catch (error) {
    held.release();
    throw error;
  }
}

interface Entered {
  readonly deployment: Deployment;
  readonly held: Permit;
}

/**
 * Acquires a permit of the first deployment that has one. If none has, waits for the first of them. If that wait ends
 * with a rejection, uses the cheaper model, if the client allows that.
 */
async function enter(call: Call, signal: AbortSignal): Promise<Entered> {
  const [first, ...others] = call.deployments;
  if (first === undefined) throw new Error('no deployment serves the model');
  const take = async (deployment: Deployment, wait: number) => {
    const held = await deployment.limiter.acquire({ signal, queueTimeout: wait });
    return { deployment, held };
  };
  // With a single deployment, the wait below is enough.
  const tried = others.length > 0 ? call.deployments : [];
  for (const deployment of tried) {
    const entered = await take(deployment, 0).catch(ignoreRejection);
    if (entered !== undefined) return entered;
  }
  return take(first, queueTimeout).catch((error) => {
    ignoreRejection(error);
    const [other] = call.useCheaperModel() ? call.deployments : [];
    if (other === undefined) throw error;
    return take(other, 0);
  });
}

function ignoreRejection(error: unknown): undefined {
  if (!(error instanceof RejectedError)) throw error;
}

async function answerOf(
  call: Call,
  permit: Permit,
  deployment: Deployment,
  held: Permit,
): Promise<Answer> {
  const { provider, url } = deployment;
  const headers = new Headers({ 'content-type': 'application/json', ...provider.credentials });
  for (const name of provider.passedOn) {
    const value = call.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const response = await fetch(url + call.path, {
    method: 'POST',
    headers,
    body: JSON.stringify(call.body),
    signal: permit.signal,
    // A redirect to another host would take the credentials along.
    redirect: 'error',
  });
  const { status } = response;
  const fields = [...response.headers].filter(([name]) => answered.test(name));
  const body = relay(response, call, permit, { deployment, held });
  return {
    status,
    headers: Object.fromEntries(fields),
    body: call.hidesUsage ? withoutUsage(body) : body,
  };
}

async function* relay(
  response: Response,
  call: Call,
  permit: Permit,
  { deployment, held }: Entered,
) {
  const { ok, body } = response;
  const reader = new UsageReader();
  const labels = { class: call.tenant.class };
  try {
    if (!ok) {
      const error = await response.text();
      // If it refuses most requests, stops the callers of all processes, instead of letting each find out.
      reportRefusal(deployment.limiter, response, error);
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
    held.release();
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
