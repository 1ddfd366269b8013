import { aimd } from '@headgate/core';
import OpenAI from 'openai';
import { expectTypeOf, it } from 'vitest';
import { type LimitedFetch, limitFetch } from '../src/index.ts';

it('a limited fetch is accepted wherever fetch is', () => {
  const api = limitFetch(fetch, { limit: aimd({ initial: 20 }) });
  expectTypeOf(api).toEqualTypeOf<LimitedFetch>();
  expectTypeOf(api).toExtend<typeof fetch>();
  new OpenAI({ apiKey: 'key', fetch: api, maxRetries: 0 });
});

it('requires a limit', () => {
  // @ts-expect-error no limit
  limitFetch(fetch, {});
});
