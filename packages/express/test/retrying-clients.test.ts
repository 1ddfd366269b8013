import { systemClock } from '@headgate/core';
import { busy, worldOfEachTest } from '@headgate/test-suite';
import express from 'express';
import { got } from 'got';
import ky from 'ky';
import { Agent, RetryAgent, request, fetch as undiciFetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

/** Each client as documented, with its default retry settings. */
const clients: Record<string, (url: string) => Promise<string>> = {
  'RetryAgent of undici': async (url) => {
    const dispatcher = new RetryAgent(new Agent());
    const { body } = await request(url, { dispatcher });
    return body.text().finally(() => dispatcher.close());
  },
  'fetch with a RetryAgent': async (url) => {
    const dispatcher = new RetryAgent(new Agent());
    const response = await undiciFetch(url, { dispatcher });
    return response.text().finally(() => dispatcher.close());
  },
  got: (url) => got(url).text(),
  ky: (url) => ky(url).text(),
};

describe('clients that retry', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  it.each(Object.keys(clients))('%s retries after Retry-After and succeeds', async (name) => {
    const refusals: { at: number; retryAfter: number }[] = [];
    const clock = { ...systemClock, random: () => 0 };
    const { app, limit, work, holder } = await busy(world, { clock });
    limit.observe({
      rejected({ rejection: { retryAfter } }) {
        refusals.push({ at: performance.now(), retryAfter });
        work.finishAll();
      },
    });
    const body = await clients[name]?.(`${app.url}/retried`);
    const [refusal] = refusals;
    const waited = performance.now() - (refusal?.at ?? 0);
    expect(body).toBe('/retried');
    expect(refusals).toHaveLength(1);
    expect(refusal?.retryAfter).toBe(1);
    // A client's timer may round, but none may retry much earlier.
    expect(waited).toBeGreaterThan(950);
    await holder.answer();
  });
});
