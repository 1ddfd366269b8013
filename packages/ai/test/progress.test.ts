import { byPriority, createGate, createLimiter } from '@headgate/core';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { describe, expect, it, vi } from 'vitest';
import { limitTool } from '../src/mcp.ts';
import { callOf, paused } from './call.ts';

describe('progress notifications', () => {
  const withToken = () => {
    const sendNotification = vi.fn(async () => {});
    return { ...callOf({ _meta: { progressToken: 7 } }), sendNotification };
  };

  it('are sent to a call that is queued at a gate, once', async () => {
    const gate = createGate({
      limits: [
        { name: 'a', limit: 2 },
        { name: 'b', limit: 1 },
      ],
    });
    const { handler, finish } = paused();
    const tool = limitTool(gate, handler);
    const [first, second] = [withToken(), withToken()];
    const results = [tool(first), tool(second)];
    await expect.poll(() => gate.queued).toBe(1);
    finish();
    expect(await Promise.all(results)).toEqual(['done', 'done']);
    expect(first.sendNotification).not.toHaveBeenCalled();
    expect(second.sendNotification.mock.calls).toEqual([
      [
        {
          method: 'notifications/progress',
          params: { progressToken: 7, progress: 0, message: 'Waiting to be admitted' },
        },
      ],
    ]);
  });

  it('are sent to a call that displaces another one from a full queue', async () => {
    const order = byPriority();
    const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: Infinity, order });
    const { handler, finish } = paused();
    const tool = limitTool(limiter, handler);
    const first = tool(callOf());
    const displaced = limiter.acquire({ priority: 'sheddable' }).catch((error) => error);
    const call = withToken();
    const second = tool(call);
    expect(await displaced).toMatchObject({ rejection: { reason: 'full' } });
    finish();
    await Promise.all([first, second]);
    expect(call.sendNotification).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('not connected'))],
    [
      'throws',
      () => {
        throw new Error('not connected');
      },
    ],
  ])('have no effect on the call if sending them %s', async (_, fail) => {
    const limiter = createLimiter({ limit: 1 });
    const { handler, finish } = paused();
    const tool = limitTool(limiter, handler);
    const first = tool(callOf());
    const call = withToken();
    call.sendNotification.mockImplementation(fail);
    const second = tool(call);
    await expect.poll(() => call.sendNotification.mock.calls).toHaveLength(1);
    finish();
    expect(await Promise.all([first, second])).toEqual(['done', 'done']);
    expect(limiter.holders).toBe(0);
  });

  it('are sent while a call waits for the store of a distributed limit', async () => {
    const store = memoryStore();
    const limiter = createLimiter({ name: 'tools', limit: 1, store });
    const call = withToken();
    expect(await limitTool(limiter, () => 'done')(call)).toBe('done');
    expect(call.sendNotification).toHaveBeenCalledTimes(1);
    await limiter.close();
    await store.close();
  });
});
