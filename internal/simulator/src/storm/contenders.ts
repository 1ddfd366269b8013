import { aimd } from '@headgate/core';
import { limitFetch, RetryBudget } from '@headgate/fetch';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import * as cockatiel from 'cockatiel';
import got from 'got';
import ky from 'ky';
import { createFetch } from 'ofetch';
import CircuitBreaker from 'opossum';
import pRetry from 'p-retry';
import { RetryAgent, request } from 'undici';
import type { Network } from './network.ts';
import { sleep } from './upstream.ts';

/** Calls the server, with all tries of the library. Rejects for an error, and for a status of 400 or above. */
type Call = (signal: AbortSignal) => Promise<unknown>;

export interface Contender {
  readonly name: string;
  /** Creates the client of one process. */
  readonly create: (network: Network) => Call;
  /** Whether the server has a limit of Headgate. */
  readonly isLimited?: boolean;
}

/** How long each try may take, in milliseconds. Everything else is each library's default, unless its name says more. */
const TIMEOUT = 2_000;

async function read(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  await response.text();
  if (!response.ok) throw new Error(`status ${response.status}`);
}

function fetchOnce({ fetch, url }: Network): Call {
  return (signal) =>
    read(fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]) }));
}

/** Three tries with full jitter, as far as the budget allows. */
function budgeted(network: Network): Call {
  const once = fetchOnce(network);
  const budget = new RetryBudget();
  const call = async (signal: AbortSignal, number: number): Promise<void> => {
    try {
      await once(signal);
      budget.succeeded();
    } catch (error) {
      if (number === 3 || signal.aborted || !budget.take()) throw error;
      await sleep(Math.random() * 200 * 2 ** (number - 1));
      await call(signal, number + 1);
    }
  };
  return (signal) => call(signal, 1);
}

function gotDefaults({ url, gotRequest }: Network): Call {
  return (signal) => {
    const own = gotRequest?.(TIMEOUT, signal);
    return got(url, { signal, timeout: { request: TIMEOUT }, ...(own && { request: own }) });
  };
}

function kyDefaults({ url, fetch }: Network): Call {
  return (signal) => ky(url, { signal, timeout: TIMEOUT, fetch }).text();
}

function ofetchDefaults({ url, fetch }: Network): Call {
  const ofetch = createFetch({ fetch });
  return (signal) => ofetch(url, { signal, timeout: TIMEOUT });
}

function axiosDefaults({ url, fetch }: Network): Call {
  const client = axios.create({ timeout: TIMEOUT, adapter: 'fetch', env: { fetch } });
  axiosRetry(client);
  return (signal) => client.get(url, { signal });
}

function pRetryDefaults(network: Network): Call {
  const once = fetchOnce(network);
  return (signal) => pRetry(() => once(signal), { signal });
}

function retryAgent(network: Network): Call {
  const dispatcher = new RetryAgent(network.dispatcher(TIMEOUT));
  return async (signal) => {
    const { statusCode, body } = await request(network.url, { dispatcher, signal });
    await body.dump();
    if (statusCode >= 400) throw new Error(`status ${statusCode}`);
  };
}

function cockatielBreaker(network: Network): Call {
  const once = fetchOnce(network);
  const { handleAll } = cockatiel;
  const backoff = new cockatiel.ExponentialBackoff();
  const breaker = new cockatiel.ConsecutiveBreaker(5);
  const policy = cockatiel.wrap(
    cockatiel.retry(handleAll, { maxAttempts: 3, backoff }),
    cockatiel.circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker }),
  );
  return (signal) => policy.execute((context) => once(context.signal), signal);
}

function opossumDefaults(network: Network): Call {
  const breaker = new CircuitBreaker(fetchOnce(network));
  return (signal) => breaker.fire(signal);
}

function limited(options: Partial<Parameters<typeof limitFetch>[1]> = {}) {
  return ({ url, fetch }: Network): Call => {
    const api = limitFetch(fetch, { limit: 4, tryTimeout: TIMEOUT, ...options });
    return (signal) => read(api(url, { signal }));
  };
}

export const contenders: readonly Contender[] = [
  { name: '`fetch`', create: fetchOnce },
  { name: 'got', create: gotDefaults },
  { name: 'ky', create: kyDefaults },
  { name: 'ofetch', create: ofetchDefaults },
  { name: 'axios, axios-retry', create: axiosDefaults },
  { name: 'p-retry', create: pRetryDefaults },
  { name: "undici's RetryAgent", create: retryAgent },
  { name: 'three tries within a retry budget', create: budgeted },
  { name: 'cockatiel, retries and a breaker', create: cockatielBreaker },
  { name: 'opossum, a breaker', create: opossumDefaults },
  { name: '`@headgate/fetch`, `limit: 4`', create: limited() },
  { name: '`@headgate/fetch`, `limit: 10`', create: limited({ limit: 10 }) },
  { name: '`@headgate/fetch`, `aimd()`', create: limited({ limit: aimd({ initial: 20 }) }) },
  { name: '`@headgate/fetch`, `limit: 4`, `tries: 3`', create: limited({ tries: 3 }) },
  { name: '`fetch`, and a limit in the server', create: fetchOnce, isLimited: true },
  { name: 'got, and a limit in the server', create: gotDefaults, isLimited: true },
];

/**
 * The clients whose name matches this regular expression.
 *
 * @throws if there is none.
 */
export function contendersNamed(pattern: string): readonly Contender[] {
  const matching = contenders.filter(({ name }) => new RegExp(pattern).test(name));
  if (matching.length === 0) throw new Error(`no client is called ${pattern}`);
  return matching;
}
