import { Readable } from 'node:stream';
import {
  counts,
  type FrameworkDriver,
  Paused,
  type SuiteApp,
  type SuiteOptions,
} from '@headgate/test-suite';
import { aRound, ok, type SuiteHandler, type SuiteLimit } from '@headgate/test-suite/kit';
import { describe, expect, test } from 'vitest';
import { hosts, type Send } from './hosts.ts';

const broken = () => {
  throw new Error('broken');
};

const streamed: SuiteHandler = (context) =>
  context.stream(Readable.from([Buffer.from('one '), Buffer.from('two')]), {
    'Content-Type': 'text/plain',
  });

/** The ways in which a response may end. A mock supports none of them. */
type Ending = keyof typeof endings;

/** For each host, by its name: the endings that the framework supports there without a limit. Default: all. */
type Supported = Readonly<Record<string, readonly Ending[] | 'nothing'>>;

/** Serves one handler behind a limit. */
type Serve = (options: SuiteOptions, handle: SuiteHandler) => { limit: SuiteLimit; send: Send };

/** Tests that the end of a response releases its permit, whichever host has created the response. */
export function hostSuite(framework: FrameworkDriver, supported: Supported = {}): void {
  for (const host of hosts) {
    const only = supported[host.name];
    if (only === 'nothing') continue;
    const start = (app: SuiteApp) => host.start(framework.listener(app));
    testThrough(host.name, framework, start, host.isMock ? [] : only);
  }
}

/** The same for a host that takes an app of the framework instead of its listener. */
export function testThrough(
  host: string,
  { name, limit: create }: Pick<FrameworkDriver, 'name' | 'limit'>,
  start: (app: SuiteApp) => Send,
  supported = Object.keys(endings) as readonly Ending[],
): void {
  const serve: Serve = (options, handle) => {
    const limit = create(options);
    return { limit, send: start({ steps: [{ use: limit }, { handle }], onError() {} }) };
  };
  describe(`${name} through ${host}`, () => {
    testAdmission(serve);
    for (const ending of supported) endings[ending](serve);
  });
}

function testAdmission(serve: Serve): void {
  test.each([[{ limit: 3 }], [{}]])(
    'a limit of %o admits one request after another',
    async (options) => {
      const { limit, send } = serve(options, ok);
      for (let i = 0; i < 10; i++)
        expect(await send('/')).toMatchObject({ status: 200, body: 'ok' });
      await counts(limit, 0);
      expect(await limit.close()).toBe(0);
    },
  );

  test('a response that was sent does not count as a disconnect', async () => {
    let signal: AbortSignal | undefined;
    const { limit, send } = serve({ limit: 1 }, (context) => {
      signal = context.admission?.permit?.signal;
      context.send(200);
    });
    await send('/');
    await counts(limit, 0);
    await aRound();
    expect(signal?.aborted).toBe(false);
  });

  test('a request beyond the limit is rejected with 503 and Retry-After, and a queued one admitted', async () => {
    const paused = new Paused();
    const { limit, send } = serve({ limit: 1, queueLimit: 1 }, paused.handler);
    const running = send('/running');
    await paused.begins(1);
    const queued = send('/queued');
    await counts(limit, 1, 1);
    expect(await send('/rejected')).toMatchObject({
      status: 503,
      retryAfter: expect.stringMatching(/^[1-9]/),
    });
    paused.finishAll();
    expect((await running).body).toBe('/running');
    expect((await queued).body).toBe('/queued');
    await counts(limit, 0);
  });
}

const endings = {
  stream(serve: Serve) {
    test('a streamed response holds its permit until its end', async () => {
      const { limit, send } = serve({ limit: 1 }, streamed);
      for (const _ of [1, 2]) {
        expect(await send('/')).toMatchObject({ status: 200, body: 'one two' });
        await counts(limit, 0);
      }
    });
  },

  error(serve: Serve) {
    test('a handler that throws releases its permit', async () => {
      const { limit, send } = serve({ limit: 1 }, broken);
      for (const _ of [1, 2]) {
        expect(await send('/')).toMatchObject({ status: 500 });
        await counts(limit, 0);
      }
    });
  },

  destroy(serve: Serve) {
    test('a handler that destroys its response releases its permit', async () => {
      const { limit, send } = serve({ limit: 1 }, ({ outgoing }) => void outgoing.destroy());
      // Some hosts never notice that no response will come.
      send('/').catch(() => {});
      await aRound();
      await counts(limit, 0);
    });
  },
};
