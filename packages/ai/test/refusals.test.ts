import type { Rejection } from '@headgate/core';
import { describe, expect, it } from 'vitest';
import { anthropicError, openaiError } from '../src/index.ts';
import { jsonRpcError } from '../src/mcp.ts';
import { rejectionOf } from './rejection.ts';

const rejection = rejectionOf({ retryAfter: 7 });
const closed = rejectionOf({ reason: 'closed', retryAfter: 2 });

const jsonOf = ({ body }: { body: string }) => JSON.parse(body);

describe('openaiError()', () => {
  it('is an overloaded server with status 503 by default', () => {
    const refusal = openaiError(rejection);
    expect(refusal.status).toBe(503);
    expect(jsonOf(refusal)).toEqual({
      error: {
        message: 'The server is busy. Try again in 7 seconds.',
        type: 'service_unavailable_error',
        param: null,
        code: 'server_is_overloaded',
      },
    });
  });

  it('is a rate limit with status 429', () => {
    const refusal = openaiError(rejection, { status: 429 });
    expect(refusal.status).toBe(429);
    expect(jsonOf(refusal)).toEqual({
      error: {
        message: 'Too many requests at the same time. Try again in 7 seconds.',
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    });
  });

  it('has status 503 during a shutdown, also if the status of the limit is 429', () => {
    const refusal = openaiError(closed, { status: 429 });
    expect(refusal.status).toBe(503);
    expect(jsonOf(refusal).error.code).toBe('server_is_overloaded');
  });

  it('allows no other option or status', () => {
    const bogus = { code: 1 } as never;
    expect(() => openaiError(rejection, bogus)).toThrow('openaiError has no option "code"');
    const teapot = { status: 418 } as never;
    expect(() => openaiError(rejection, teapot)).toThrow('status must be 503 or 429, got 418');
  });
});

describe('anthropicError()', () => {
  it('is an overloaded server with status 529 by default', () => {
    const refusal = anthropicError(rejection);
    expect(refusal.status).toBe(529);
    expect(jsonOf(refusal)).toEqual({
      type: 'error',
      error: {
        type: 'overloaded_error',
        message: 'The server is busy. Try again in 7 seconds.',
      },
    });
  });

  it('is a rate limit with status 429', () => {
    const refusal = anthropicError(rejection, { status: 429 });
    expect(refusal.status).toBe(429);
    expect(jsonOf(refusal).error.type).toBe('rate_limit_error');
  });

  it('has status 503 during a shutdown', () => {
    const refusal = anthropicError(closed);
    expect(refusal.status).toBe(503);
    expect(jsonOf(refusal).error.type).toBe('overloaded_error');
    expect(anthropicError(closed, { status: 429 }).status).toBe(503);
  });

  it('allows no other status', () => {
    const other = { status: 503 } as never;
    expect(() => anthropicError(rejection, other)).toThrow('status must be 529 or 429, got 503');
  });
});

const refusals: Record<string, (of: Rejection) => { headers: object; body: string }> = {
  openaiError,
  anthropicError,
  jsonRpcError,
};

describe.each(Object.entries(refusals))('%s()', (name, refusalOf) => {
  it('names the wait, and may not be cached', () => {
    const { headers } = refusalOf(rejection);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'Retry-After': '7',
      ...(name !== 'jsonRpcError' && { 'retry-after-ms': '7000', 'x-should-retry': 'true' }),
    });
  });

  it('does not contain the name of the limit', () => {
    expect(JSON.stringify(refusalOf(rejection))).not.toContain(rejection.limitName);
  });
});

it.each([openaiError, anthropicError])(
  'a wait of a minute stays below the limit of older clients',
  (refusalOf) => {
    const { headers } = refusalOf(rejectionOf({ retryAfter: 60 }));
    expect(headers).toMatchObject({ 'Retry-After': '60', 'retry-after-ms': '59999' });
  },
);

describe('jsonRpcError()', () => {
  const errorTo = (body?: unknown) => {
    const refusal = jsonRpcError(rejection, body);
    return { status: refusal.status, ...jsonOf(refusal) };
  };

  it('has the id of the request, the reason and the wait', () => {
    expect(errorTo({ jsonrpc: '2.0', id: 5, method: 'tools/call' })).toEqual({
      status: 200,
      jsonrpc: '2.0',
      id: 5,
      error: {
        code: -32005,
        message: 'The server is busy. Try again in 7 seconds.',
        data: { reason: 'full', retryAfter: 7 },
      },
    });
    expect(errorTo({ id: 'a', method: 'ping' })).toMatchObject({ status: 200, id: 'a' });
    expect(errorTo({ id: 0, method: 'ping' })).toMatchObject({ status: 200, id: 0 });
  });

  it.each([
    ['an unknown body', undefined],
    ['a text', '{"id":1,"method":"ping"}'],
    ['null', null],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['a response', { jsonrpc: '2.0', id: 5, result: {} }],
    ['an id of another type', { id: { a: 1 }, method: 'ping' }],
    ['a batch', [{ jsonrpc: '2.0', id: 5, method: 'ping' }]],
  ])('has status 503 and no id for %s', (_, body) => {
    expect(errorTo(body)).toMatchObject({ status: 503, id: null, error: { code: -32005 } });
  });
});
