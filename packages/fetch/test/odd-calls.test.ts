import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { expect, it, vi } from 'vitest';
import { limitFetch, RetryBudget } from '../src/index.ts';
import { held, serve } from './server.ts';

it('a Request as the second argument is sent whole, also with a timeout', async () => {
  const url = await serve(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    res.end(`${req.method} ${req.headers['x-a']} ${body}`);
  });
  const api = limitFetch(fetch, { limit: 1, timeout: 10_000, deadlineHeader: 'x-left' });
  const given = new Request('http://other/', {
    method: 'POST',
    headers: { 'x-a': '1' },
    body: 'b',
  });
  expect(await (await api(url, given)).text()).toBe('POST 1 b');
  expect(Object.keys(api.limiters)).toEqual([url]);
});

it('fetch is called without this, which that of a browser would reject', async () => {
  const calledWith: unknown[] = [];
  const send = async function (this: unknown) {
    calledWith.push(this);
    return new Response(null);
  };
  await limitFetch(send, { limit: 1 })('http://server/');
  expect(calledWith).toEqual([undefined]);
});

it('null as the second argument is none, also with a key', async () => {
  const api = limitFetch(async () => new Response(null), { limit: 1, key: ({ method }) => method });
  await api('http://server/', null as never);
  expect(Object.keys(api.limiters)).toEqual(['GET']);
});

it('a cloned response can be read after a garbage collection', async () => {
  const url = await serve((_req, res) => {
    res.end(Buffer.alloc(300_000, 'a'));
  });
  const api = limitFetch(fetch, { limit: 1 });
  const response = await api(url);
  const copy = response.clone();
  for (let round = 0; round < 10; round++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const [one, other] = await Promise.all([response.text(), copy.text()]);
  expect([one.length, other.length, copy.url]).toEqual([300_000, 300_000, `${url}/`]);
});

it('a reason phrase that no Response can be constructed with is kept', async () => {
  const odd = Object.defineProperty(new Response('odd'), 'statusText', { value: '成功' });
  const response = await limitFetch(async () => odd, { limit: 1 })('http://server/');
  expect([response.statusText, await response.text()]).toEqual(['成功', 'odd']);
});

it('a body that is no web stream is passed on', async () => {
  const odd = { status: 200, headers: new Headers(), body: { pipe() {} } } as unknown as Response;
  const api = limitFetch(async () => odd, { limit: 1 });
  expect(await api('http://server/')).toBe(odd);
  expect(held(api)).toBe(0);
});

it('another try follows a response whose body is no web stream, which is destroyed', async () => {
  const destroy = vi.fn();
  const odd = { status: 503, headers: new Headers(), body: { pipe() {}, destroy } };
  const send = vi.fn(async () => new Response('second'));
  send.mockResolvedValueOnce(odd as unknown as Response);
  const api = limitFetch(send, { limit: 1, tries: 2 });
  expect(await (await api('http://server/')).text()).toBe('second');
  expect(destroy).toHaveBeenCalledTimes(1);
});

it('a budget that throws rejects the call, and leaks nothing', async () => {
  const budget = new RetryBudget();
  budget.take = () => {
    throw new Error('no budget');
  };
  const api = limitFetch(async () => new Response('no', { status: 503 }), {
    limit: 1,
    tries: 2,
    budget,
  });
  await expect(api('http://server/')).rejects.toThrow('no budget');
  await vi.waitFor(() => expect(held(api)).toBe(0));
});

it('no try follows a pause that no timer can wait for', async () => {
  const headers = { 'retry-after': '9999999' };
  const send = vi.fn(async () => new Response(null, { status: 503, headers }));
  const api = limitFetch(send, { limit: 1, tries: 3, maxPause: Infinity });
  expect((await api('http://server/')).status).toBe(503);
  expect(send).toHaveBeenCalledTimes(1);
});

it('the limit that an operator sets while an origin is probed stays', async () => {
  let status = 503;
  const api = limitFetch(async () => new Response(null, { status }), { limit: 20 });
  for (let call = 0; call < 5; call++) await api('http://server/');
  const limiter = api.limiters['http://server'];
  expect(limiter?.limit).toBe(1);
  limiter?.setLimit(3);
  await api('http://server/');
  expect(limiter?.limit).toBe(1);
  status = 200;
  for (let call = 0; call < 5; call++) await api('http://server/');
  expect(limiter?.limit).toBe(3);
});
