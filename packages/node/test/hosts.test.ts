import { EventEmitter } from 'node:events';
import { concurrencyLimit } from '@headgate/node';
import { hostSuite } from '@headgate/test-kit/host-suite';
import { VirtualClock } from '@headgate/test-suite';
import mocks from 'node-mocks-http';
import { describe, expect, test } from 'vitest';
import { nodeFramework } from './framework.ts';

hostSuite(nodeFramework);

describe('a response that fails and belongs to no server', () => {
  const begin = () => {
    const limit = concurrencyLimit({ limit: 1 });
    const req = mocks.createRequest();
    const res = mocks.createResponse({ eventEmitter: EventEmitter, req });
    limit(() => {})(req as never, res as never);
    expect(limit.holders).toBe(1);
    return { limit, res };
  };

  test('ends its permit', () => {
    const { limit, res } = begin();
    res.on('error', () => {});
    res.emit('error', new Error('broken'));
    expect(limit.holders).toBe(0);
  });

  test('still throws its error if the app does not listen for errors', () => {
    const { limit, res } = begin();
    expect(() => res.emit('error', new Error('broken'))).toThrow('broken');
    expect(limit.holders).toBe(0);
  });
});

test('a request that belongs to no server may lack stream methods', () => {
  const clock = new VirtualClock();
  const limit = concurrencyLimit({ clock });
  const res = mocks.createResponse();
  limit(() => {})({ method: 'GET', url: '/', headers: {} } as never, res as never);
  clock.advance(100);
  expect(limit.holders).toBe(1);
  res.end();
  expect(limit.holders).toBe(0);
});
