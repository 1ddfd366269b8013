import { createGate, createLimiter, fair, systemClock } from '@headgate/core';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { limitTool } from '../src/mcp.ts';
import { type Call, callOf, paused } from './call.ts';

const done = (_: Call) => 'done';

const rejectionIn = (result: unknown) =>
  (result as { _meta: Record<string, object> })._meta['headgate/rejection'];

const key = ({ sessionId }: Call) => sessionId;

describe('the arguments of the handler', () => {
  it('are those of the call, with another signal', async () => {
    const limiter = createLimiter({ limit: 1 });
    const seen: unknown[] = [];
    const tool = limitTool(limiter, (...args: [{ a: number }, Call]) => void seen.push(...args));
    const call = callOf({ sessionId: 's' });
    await tool({ a: 1 }, call);
    expect(seen).toEqual([{ a: 1 }, { ...call, signal: expect.any(AbortSignal) }]);
  });
});

describe('the signal of the handler aborts', () => {
  it('when the call is cancelled', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { handler, signals, finish } = paused();
    const controller = new AbortController();
    const result = limitTool(limiter, handler)(callOf({ signal: controller.signal }));
    await expect.poll(() => signals).toHaveLength(1);
    controller.abort('cancelled');
    expect(signals[0]?.reason).toBe('cancelled');
    expect(limiter.holders).toBe(1);
    finish();
    expect(await result).toBe('done');
    expect(limiter.holders).toBe(0);
  });

  it('when the permit has been held for maxHold', async () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 1, maxHold: 1_000, clock });
    limiter.observe({ leaked: () => {} });
    const { handler, signals, finish } = paused();
    const result = limitTool(limiter, handler)(callOf());
    await expect.poll(() => signals).toHaveLength(1);
    await clock.advance(1_000);
    expect(signals[0]?.reason).toMatchObject({ code: 'ERR_HEADGATE_MAX_HOLD' });
    expect(limiter.holders).toBe(0);
    finish();
    await result;
    expect(limiter.holders).toBe(0);
  });

  it('when close() times out', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { handler, signals, finish } = paused();
    const result = limitTool(limiter, handler)(callOf());
    await expect.poll(() => signals).toHaveLength(1);
    expect(await limiter.close({ timeout: 0 })).toBe(1);
    expect(signals[0]?.reason).toMatchObject({ code: 'ERR_HEADGATE_CLOSED' });
    finish();
    await result;
  });
});

describe('a rejected call', () => {
  it('reports a shutdown', async () => {
    const limiter = createLimiter({ limit: 1, clock: { ...systemClock, random: () => 0 } });
    await limiter.close();
    const result = await limitTool(limiter, done)(callOf());
    expect(result).toEqual({
      content: [{ type: 'text', text: 'The server is busy. Try again in 1 second.' }],
      isError: true,
      _meta: { 'headgate/rejection': { reason: 'closed', retryAfter: 1 } },
    });
  });

  it('does not contain the name of the limit', async () => {
    const limiter = createLimiter({ name: 'internal-name', limit: 1 });
    await limiter.close();
    const result = await limitTool(limiter, done)(callOf());
    expect(JSON.stringify(result)).not.toContain('internal-name');
  });
});

describe('a call that is not admitted for another reason', () => {
  it('fails with the reason of its signal, if that has aborted already', async () => {
    const limiter = createLimiter({ limit: 1 });
    for (const reason of [new Error('cancelled'), 'cancelled', null]) {
      const tool = limitTool(limiter, done);
      await expect(tool(callOf({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    }
    expect(limiter.holders).toBe(0);
  });

  it('fails with the error of the key function', async () => {
    const limiter = createLimiter({ limit: 1, perKey: true });
    const failing = () => {
      throw new Error('no session');
    };
    const tool = limitTool(limiter, done, { key: failing });
    await expect(tool(callOf())).rejects.toThrow('no session');
    expect(limiter.holders).toBe(0);
  });
});

describe('a limit with keys', () => {
  it('counts each key by itself, and calls without a key together', async () => {
    const limiter = createLimiter({ limit: 1, queueLimit: 0, perKey: true });
    const { handler, finish } = paused();
    const tool = limitTool(limiter, handler, { key });
    const running = ['a', 'b', undefined].map((sessionId) =>
      tool(callOf(sessionId === undefined ? {} : { sessionId })),
    );
    expect(limiter.holders).toBe(3);
    expect(rejectionIn(await tool(callOf()))).toMatchObject({ reason: 'full' });
    expect(rejectionIn(await tool(callOf({ sessionId: 'b' })))).toMatchObject({ reason: 'full' });
    finish();
    expect(await Promise.all(running)).toEqual(['done', 'done', 'done']);
    expect(limiter.holders).toBe(0);
  });

  it('can be a part of a gate', async () => {
    const gate = createGate({
      ...{ queueLimit: 0 },
      limits: [
        { name: 'session', limit: 1, perKey: true },
        { name: 'all', limit: 2 },
      ],
    });
    const { handler, finish } = paused();
    const tool = limitTool(gate, handler, { key });
    const [a, b] = [callOf({ sessionId: 'a' }), callOf({ sessionId: 'b' })];
    const running = [tool(a), tool(b)];
    expect(gate.limiters.session?.usage('a').inflight).toBe(1);
    expect(gate.limiters.all?.inflight).toBe(2);
    expect(rejectionIn(await tool(a))).toMatchObject({ reason: 'full' });
    finish();
    await Promise.all(running);
    expect(gate.holders).toBe(0);
  });
});

it('fairBy lets groups of calls take turns', async () => {
  const limiter = createLimiter({ limit: 1, queueTimeout: Infinity, order: fair() });
  const held = await limiter.acquire();
  const order: (string | undefined)[] = [];
  const tool = limitTool(limiter, ({ sessionId }: Call) => void order.push(sessionId), {
    fairBy: key,
  });
  const calls = ['a', 'a', 'a', 'b'].map((sessionId) => tool(callOf({ sessionId })));
  held.release();
  await Promise.all(calls);
  expect(order.indexOf('b')).toBeLessThan(2);
});

describe('mistakes are reported when the tool is created', () => {
  const limiter = createLimiter({ name: 'tools', limit: 1 });
  const keyed = createLimiter({ name: 'sessions', limit: 1, perKey: true });
  it.each([
    ['a missing limit', undefined, done, {}, 'limit must be a limiter or a gate'],
    ['a missing handler', limiter, undefined, {}, 'handler must be a function'],
    ['an unknown option', limiter, done, { keys: key }, 'limitTool has no option "keys"'],
    ['a key that is no function', keyed, done, { key: 'a' }, 'key must be a function'],
    ['a keyed limit without key', keyed, done, {}, 'limit "sessions" is keyed: set key'],
    ['a key without a keyed limit', limiter, done, { key }, 'limit "tools" is not keyed'],
  ])('%s', (_, limit, wrapped, options, message) => {
    expect(() => limitTool(limit as never, wrapped as never, options as never)).toThrow(message);
  });
});
