import { createServer } from 'node:http';
import { concurrencyLimit } from '@headgate/node';
import { Latch, until } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import supertest from 'supertest';
import { expect, it, onTestFinished } from 'vitest';

type Options = NonNullable<Parameters<typeof concurrencyLimit>[0]>;

/** A server whose limit of 1 is used up, and a function that sends it requests. */
async function full(options: Options) {
  const { opened, open } = new Latch();
  const limit = concurrencyLimit({ limit: 1, queueLimit: 0, ...options } as Options);
  const listener = limit(async (_req, res) => {
    await opened;
    res.end('ok');
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  const held = supertest(server).get('/').then();
  await until(() => limit.holders === 1);
  onTestFinished(async () => {
    open();
    await held;
  });
  const reject = async (count: number) => {
    for (let sent = 0; sent < count; sent++) await supertest(server).get('/');
  };
  return { limit, reject };
}

it('each limit warns once when it has rejected a hundred requests', async () => {
  const warnings = collectWarnings('HEADGATE_SHEDDING');
  const first = await full({ name: 'first' });
  await first.reject(99);
  expect(warnings).toEqual([]);
  await first.reject(101);
  expect(warnings).toEqual([
    expect.stringMatching(/"first" sheds load: it has rejected 100 .*"full"/),
  ]);
  const second = await full({ name: 'second' });
  await second.reject(100);
  expect(warnings).toEqual([expect.anything(), expect.stringMatching(/"second"/)]);
});

it.each<[string, Options, (limit: { close(): unknown }) => void]>([
  ['with 429, as the quota of a client,', { statusCode: 429 }, () => {}],
  ['while it closes', {}, ({ close }) => void close()],
  ['in an onReject of the app', { onReject: (_rejection, _req, res) => res.end() }, () => {}],
])('a limit that rejects %s causes no warning', async (_, options, prepare) => {
  const warnings = collectWarnings('HEADGATE_SHEDDING');
  const { limit, reject } = await full(options);
  prepare(limit);
  await reject(100);
  expect(limit.stats().limits[0]?.rejected).toBeDefined();
  expect(warnings).toEqual([]);
});
