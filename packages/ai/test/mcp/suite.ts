import { setImmediate } from 'node:timers/promises';
import { Latch } from '@headgate/test-suite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Counts } from './tools.ts';

interface Progress {
  readonly progress: number;
  readonly message?: string | undefined;
}

interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A client of either version of the SDK. */
export interface Caller {
  call(
    name: string,
    args: Record<string, string>,
    options: RequestOptions | undefined,
  ): Promise<ToolResult>;
}

/** A server with the limited tools, behind a transport. */
export interface ToolServer {
  /** Connects a client of its own session. */
  connect(): Promise<Caller>;
  stop(): Promise<void>;
}

/** @param hasSessions Whether calls have the id of their session. */
export function toolSuite(name: string, start: () => Promise<ToolServer>, hasSessions: boolean) {
  describe(`limitTool() over ${name}`, () => {
    let server: ToolServer;
    let client: Caller;

    beforeEach(async () => {
      server = await start();
      client = await server.connect();
    });

    afterEach(async () => {
      await countsAre(client, { holders: 0, queued: 0 });
      await server.stop();
    });

    it('queues a call beyond the limit, which runs once the first has finished', async () => {
      const first = call(client, 'work', 'a');
      await countsAre(client, { holders: 1 });
      const second = call(client, 'work', 'b');
      await countsAre(client, { holders: 1, queued: 1, begun: ['a'] });
      await finish(client, 'a');
      expect(await textOf(first)).toBe('done: a');
      await countsAre(client, { holders: 1, queued: 0, begun: ['a', 'b'] });
      await finish(client, 'b');
      expect(await textOf(second)).toBe('done: b');
    });

    it('a rejected call resolves to an error for the model, with reason and wait for programs', async () => {
      const first = call(client, 'work', 'a');
      await countsAre(client, { holders: 1 });
      const second = call(client, 'work', 'b');
      await countsAre(client, { queued: 1 });
      const { isError, content, _meta } = await call(client, 'work', 'c');
      const data = _meta?.['headgate/rejection'] as { retryAfter: number };
      expect(isError).toBe(true);
      expect(data).toEqual({ reason: 'full', retryAfter: expect.any(Number) });
      expect(content).toMatchObject([{ text: expect.stringContaining('The server is busy.') }]);
      await finish(client, 'a');
      await countsAre(client, { begun: ['a', 'b'] });
      await finish(client, 'b');
      await Promise.all([first, second]);
    });

    it('a call that is cancelled in the queue leaves it and never runs', async () => {
      const first = call(client, 'work', 'a');
      await countsAre(client, { holders: 1 });
      const controller = new AbortController();
      const second = call(client, 'work', 'b', { signal: controller.signal });
      await countsAre(client, { queued: 1 });
      controller.abort('no longer needed');
      await expect(second).rejects.toThrow('no longer needed');
      await countsAre(client, { holders: 1, queued: 0 });
      await finish(client, 'a');
      await first;
      await countsAre(client, { begun: ['a'], aborted: [] });
    });

    it('a cancelled call aborts the signal of its handler, and holds its permit until the handler has settled', async () => {
      const controller = new AbortController();
      const first = call(client, 'work', 'a', { signal: controller.signal });
      await countsAre(client, { holders: 1 });
      controller.abort('no longer needed');
      await expect(first).rejects.toThrow('no longer needed');
      await countsAre(client, { aborted: ['a'], holders: 1 });
      const second = call(client, 'work', 'b');
      await countsAre(client, { queued: 1, begun: ['a'] });
      await finish(client, 'a');
      await countsAre(client, { begun: ['a', 'b'] });
      await finish(client, 'b');
      expect(await textOf(second)).toBe('done: b');
    });

    it('a queued call with a progress token sends one progress notification', async () => {
      const first = call(client, 'work', 'a');
      await countsAre(client, { holders: 1 });
      const received: Progress[] = [];
      const notified = new Latch();
      const onprogress = (progress: Progress) => {
        received.push(progress);
        notified.open();
      };
      const second = call(client, 'work', 'b', { onprogress });
      await notified.opened;
      await finish(client, 'a');
      await countsAre(client, { begun: ['a', 'b'] });
      await finish(client, 'b');
      await Promise.all([first, second]);
      expect(received).toEqual([{ progress: 0, message: 'Waiting to be admitted' }]);
    });

    it('a call sends no progress notification if it is admitted or rejected at once', async () => {
      const received: Progress[] = [];
      const onprogress = (progress: Progress) => void received.push(progress);
      const first = call(client, 'work', 'a', { onprogress });
      await countsAre(client, { holders: 1 });
      const second = call(client, 'work', 'b');
      await countsAre(client, { queued: 1 });
      expect((await call(client, 'work', 'c', { onprogress })).isError).toBe(true);
      await finish(client, 'a');
      await countsAre(client, { begun: ['a', 'b'] });
      await finish(client, 'b');
      await Promise.all([first, second]);
      await setImmediate();
      expect(received).toEqual([]);
    });

    it('a handler that throws releases its permit, and its error reaches the client', async () => {
      const failed = await call(client, 'fail');
      expect(failed.isError).toBe(true);
      expect(failed._meta?.['headgate/rejection']).toBeUndefined();
      expect(await textOf(failed)).toBe('failed on purpose');
    });

    if (hasSessions) {
      it('a keyed limit counts each session by itself', async () => {
        const other = await server.connect();
        const first = call(client, 'session-work', 'a');
        const second = call(other, 'session-work', 'b');
        await countsAre(client, { holders: 2 });
        for (const busy of [client, other])
          expect((await call(busy, 'session-work', 'c')).isError).toBe(true);
        await finish(client, 'a');
        await finish(client, 'b');
        expect([await textOf(first), await textOf(second)]).toEqual(['done: a', 'done: b']);
      });
    } else {
      it('calls without a session id count together', async () => {
        const first = call(client, 'session-work', 'a');
        await countsAre(client, { holders: 1 });
        expect((await call(client, 'session-work', 'b')).isError).toBe(true);
        await finish(client, 'a');
        expect(await textOf(first)).toBe('done: a');
      });
    }
  });
}

function call(
  client: Caller,
  name: string,
  id?: string,
  options?: RequestOptions,
): Promise<ToolResult> {
  return client.call(name, id === undefined ? {} : { id }, options);
}

async function textOf(result: ToolResult | Promise<ToolResult>): Promise<string | undefined> {
  return (await result).content[0]?.text;
}

async function finish(client: Caller, id: string): Promise<void> {
  await call(client, 'finish', id);
}

/** Waits until the server has these counts. */
async function countsAre(client: Caller, expected: Partial<Counts>): Promise<void> {
  const read = async () => JSON.parse((await textOf(call(client, 'counts'))) as string) as Counts;
  await expect.poll(read, { interval: 1, timeout: 10_000 }).toMatchObject(expected);
}
