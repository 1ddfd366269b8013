import assert from 'node:assert/strict';
import { anthropic, type GatewayScene, openai, responses } from './gateway-scene.ts';
import { statuses } from './program.ts';

/** Runs the scenarios one after another. After each, no permit is held and no request is queued. */
export async function aiGateway(scene: GatewayScene): Promise<void> {
  const { gateways } = scene;
  try {
    for (const scenario of scenarios) {
      await scenario(scene);
      await scene.idle();
    }
    for (const { child } of gateways) child.kill('SIGTERM');
    const codes = await Promise.all(gateways.map(({ exited }) => exited));
    assert.deepEqual(codes, [0, 0, 0, 0]);
  } catch (error) {
    for (const { errors } of gateways) console.error(errors);
    throw error;
  }
}

type Scenario = (scene: GatewayScene) => Promise<void>;

const formats = [
  { path: openai, end: /data: \[DONE\]\n\n$/, code: 503, error: /"code":"server_is_overloaded"/ },
  {
    path: responses,
    end: /"response.completed".*\n\n$/,
    code: 503,
    error: /"code":"server_is_overloaded"/,
  },
  { path: anthropic, end: /"message_stop"}\n\n$/, code: 529, error: /"type":"overloaded_error"/ },
] as const;

const streams: Scenario = async (scene) => {
  const { one } = scene;
  for (const { path, end } of formats) {
    const text = await (await scene.ask(one, { path, stream: true })).text();
    assert.match(text, end);
    assert.equal(text.match(/word/g)?.length, 8);
    assert.doesNotMatch(text, /prompt_tokens/, 'the client has not asked for it');
    const whole = await (await scene.ask(one, { path })).text();
    assert.match(whole, /"usage"/);
  }
  assert.equal((await one.fetch('/v1/messages', { method: 'POST', body: '{}' })).status, 401);
  const metrics = await (await one.fetch('/metrics')).text();
  assert.match(metrics, /^ai_tokens_total{class="interactive"} 60$/m, 'as the provider counts');
  assert.match(metrics, /^ai_time_to_first_token_seconds_count{class="interactive"} 3$/m);
};

const commonLimit: Scenario = async (scene) => {
  const { gateways } = scene;
  const running = await Promise.all(gateways.map((at) => scene.hold(at)));
  const waiting = gateways.map((at) => scene.ask(at));
  await Promise.all(gateways.map((at) => scene.queued(at, 1)));
  assert.equal((await scene.calls()).running, 4);
  await scene.release();
  assert.deepEqual(statuses(await Promise.all([...running, ...waiting])), { 200: 8 });
  await Promise.all(running.map((answer) => answer.text()));
  assert.equal((await scene.calls()).peak, 4, 'four at once, over all processes');
};

const priorities: Scenario = async (scene) => {
  const { one } = scene;
  const running = await Promise.all(
    Array.from({ length: 4 }, () => scene.hold(one, { tenant: 'bob' })),
  );
  const { started } = await scene.calls();
  const ask = (tenant: 'ann' | 'crawler') =>
    Array.from({ length: 8 }, () => scene.ask(one, { tenant, prompt: tenant }));
  const batch = ask('crawler');
  await scene.queued(one, 8);
  const interactive = ask('ann');
  await scene.queued(one, 16);
  const metrics = await (await one.fetch('/metrics')).text();
  assert.ok(Number(/^ai_queued_tokens (\d+)$/m.exec(metrics)?.[1]) > 16 * 50);
  await scene.release();
  await Promise.all([...running, ...batch, ...interactive].map(async (it) => (await it).text()));
  const next = (await scene.calls()).started.slice(started.length, started.length + 12);
  // Four at a time. One request of the batch was next already when the others arrived.
  assert.equal(next.filter(({ prompt }) => prompt === 'ann').length, 8, 'interactive ones first');
};

const fairness: Scenario = async (scene) => {
  const { one } = scene;
  const { finished } = await scene.calls();
  const ask = (tenant: 'ann' | 'bob', count: number, tokens: number) =>
    Array.from({ length: count }, () =>
      scene.ask(one, { tenant, prompt: tenant, maxTokens: 500, metadata: { tokens: `${tokens}` } }),
    );
  // The estimates are equal, so only their usage shows that the answers of one tenant are fifteen times as long.
  const greedy = ask('ann', 8, 300);
  await scene.queued(one, 4);
  const modest = ask('bob', 40, 20);
  assert.deepEqual(statuses(await Promise.all([...greedy, ...modest])), { 200: 48 });
  const order = (await scene.calls()).finished.slice(finished.length).map(({ prompt }) => prompt);
  const greedyBefore = order.slice(0, order.lastIndexOf('bob')).filter((it) => it === 'ann');
  assert.ok(greedyBefore.length < 6, `served before 40 short answers: ${greedyBefore.length}`);
};

/** The last request that the provider has received. */
const lastOf = async (scene: GatewayScene) => (await scene.calls()).started.at(-1);

const credentials: Scenario = async (scene) => {
  const { one } = scene;
  const fields = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b', 'x-secret': 'x' };
  await (await scene.ask(one, { path: anthropic, headers: fields })).text();
  const { headers: toAnthropic } = (await lastOf(scene)) ?? {};
  assert.equal(toAnthropic?.['anthropic-version'], '2023-06-01');
  assert.equal(toAnthropic?.['anthropic-beta'], 'a,b');
  assert.equal(toAnthropic?.['x-api-key'], 'anthropic-key');
  assert.equal(toAnthropic?.authorization, undefined);
  assert.equal(toAnthropic?.['x-secret'], undefined);
  const shared = { ...fields, 'idempotency-key': 'order-1' };
  await (await scene.ask(one, { path: responses, headers: shared })).text();
  const { headers: toOpenai } = (await lastOf(scene)) ?? {};
  assert.equal(toOpenai?.authorization, 'Bearer openai-key');
  assert.equal(toOpenai?.['x-api-key'], undefined);
  assert.equal(toOpenai?.['anthropic-version'], undefined);
  assert.equal(toOpenai?.['idempotency-key'], undefined, 'tenants share the credentials');
  const redirect = { path: anthropic, metadata: { fault: 'redirect' } } as const;
  assert.equal((await scene.ask(one, redirect)).status, 502);
  assert.match((await lastOf(scene))?.headers.host ?? '', /^localhost/, 'no other host');
  assert.equal((await scene.ask(one, { model: 'unknown' })).status, 404);
};

const deployments: Scenario = async (scene) => {
  const { one, two } = scene;
  const medium = { model: 'medium' };
  // Eight run at once: four on each deployment.
  const running = await Promise.all(
    [one, two, one, two, one, two, one, two].map((at) => scene.hold(at, medium)),
  );
  await scene.release();
  await Promise.all(running.map((answer) => answer.text()));
  const paths = (await scene.calls()).started.slice(-8).map(({ url }) => url);
  assert.equal(paths.filter((url) => url.startsWith('/second')).length, 4);
  // A deployment that refuses is paused, and the other one serves its requests.
  const refuse = { ...medium, metadata: { fault: 'refuse' } };
  for (let count = 0; count < 20; count++) await (await scene.ask(one, refuse)).text();
  const answers = await Promise.all(Array.from({ length: 4 }, () => scene.ask(one, medium)));
  assert.deepEqual(statuses(answers), { 200: 4 });
  const after = (await scene.calls()).started.slice(-4).map(({ url }) => url);
  assert.deepEqual(after, Array(4).fill(openai));
};

const disconnects: Scenario = async (scene) => {
  const { one } = scene;
  const { aborted } = await scene.calls();
  const leaving = new AbortController();
  await scene.hold(one, { signal: leaving.signal });
  leaving.abort();
  await scene.provider.until('/admin/calls', (calls) => calls.aborted === aborted + 1);
};

const faults: Scenario = async (scene) => {
  const { one } = scene;
  const { aborted } = await scene.calls();
  const fault = (name: string, more = {}) => scene.ask(one, { ...more, metadata: { fault: name } });
  for (const { path } of formats) {
    const cut = await fault('cut', { path, stream: true });
    await assert.rejects(cut.text(), 'the client notices that the answer is incomplete');
  }
  for (const { path, end } of formats) {
    const text = await (await fault('crlf', { path, stream: true })).text();
    assert.match(text.replaceAll('\r', ''), end);
    assert.equal(text.match(/word/g)?.length, 8);
    assert.doesNotMatch(text, /prompt_tokens/);
    const page = await fault('page', { path, stream: true });
    assert.equal(page.status, 502);
    assert.match(await page.text(), /Bad gateway/);
  }
  const reset = await fault('reset');
  assert.equal(reset.status, 502);
  assert.match(await reset.text(), /"type":"error"/);
  // A client that reads nothing, while another one waits for a provider that hangs.
  const slow = await scene.ask(one, {
    stream: true,
    maxTokens: 1_000,
    metadata: { tokens: '1000', size: '65536' },
  });
  const hanging = fault('hang');
  assert.equal((await scene.ask(one)).status, 200, 'others are served meanwhile');
  assert.equal((await hanging).status, 504);
  await scene.idle();
  await assert.rejects(slow.text());
  // Cut three times, reset, slow, hanging.
  assert.equal((await scene.calls()).aborted, aborted + 6);
};

const pause: Scenario = async (scene) => {
  const { one, gateways, provider } = scene;
  const { refused: refusedBefore } = await scene.calls();
  // Another customer of the provider uses all of its capacity.
  const others = await Promise.all(Array.from({ length: 8 }, () => scene.hold(provider)));
  let refusedAt = 0;
  for (let count = 0; count < 10; count++) {
    const refused = await scene.ask(one, { path: anthropic });
    refusedAt = Date.now();
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.match(await refused.text(), /rate_limit_error/);
  }
  await scene.release();
  await Promise.all(others.map((answer) => answer.text()));
  const before = await scene.calls();
  const answers = await Promise.all(gateways.map((at) => scene.ask(at, { path: anthropic })));
  assert.deepEqual(statuses(answers), { 200: 4 });
  const after = await scene.calls();
  assert.equal(after.refused, refusedBefore + 10);
  for (const { at } of after.started.slice(before.started.length))
    assert.ok(at - refusedAt > 900, 'all processes have waited for a second');
};

const rejections: Scenario = async (scene) => {
  const { one } = scene;
  const prompt = 'long '.repeat(400);
  const running = await scene.hold(one, { prompt });
  const leaving = new AbortController();
  const { signal } = leaving;
  // Each weighs as much as the limit allows: 400. The queue holds 20,000.
  const asked = Array.from({ length: 30 }, () =>
    formats.map(({ path }) => scene.ask(one, { path, prompt, signal })),
  );
  for (const [index, { code, error }] of formats.entries()) {
    const rejected = await Promise.race(asked.map((pair) => pair[index] as Promise<Response>));
    assert.equal(rejected.status, code);
    assert.ok(Number(rejected.headers.get('retry-after')) >= 1);
    assert.match(await rejected.text(), error);
  }
  const degraded = await scene.ask(one, { prompt, allowsFallback: true });
  assert.equal(degraded.status, 200);
  assert.equal((await scene.calls()).started.at(-1)?.model, 'small');
  leaving.abort();
  await Promise.allSettled(asked.flat());
  await scene.release();
  await running.text();
};

const restartOfRedis: Scenario = async (scene) => {
  const { one, two, gateways, redis } = scene;
  const running = await scene.hold(one);
  await redis.kill();
  const meanwhile = await Promise.all([scene.ask(one), scene.ask(two)]);
  assert.deepEqual(statuses(meanwhile), { 200: 2 });
  await redis.restart();
  for (const at of gateways)
    await scene.until(at, ({ deployments: all }) => all.every(({ distributed: it }) => it?.up));
  await scene.release();
  assert.match(await running.text(), /\[DONE\]/, 'a running answer survives');
  const after = await Promise.all([scene.ask(one), scene.ask(two)]);
  assert.deepEqual(statuses(after), { 200: 2 });
};

const otherModel: Scenario = async (scene) => {
  const { one } = scene;
  const question = { path: anthropic } as const;
  for (let count = 0; count < 12; count++)
    await (await scene.ask(one, { ...question, metadata: { fault: 'refuse' } })).text();
  const paused = await scene.ask(one, question);
  assert.equal(paused.status, 529);
  assert.ok(Number(paused.headers.get('retry-after')) > 20, 'the rest of the pause');
  const other = await scene.ask(one, { ...question, allowsFallback: true });
  assert.equal(other.status, 200);
  assert.equal((await lastOf(scene))?.model, 'small');
};

const labels: Scenario = async ({ one }) => {
  const metrics = await (await one.fetch('/metrics')).text();
  assert.match(metrics, /^ai_queued_tokens 0$/m);
  assert.doesNotMatch(metrics, /"(sk-)?(ann|bob|crawler)"/);
};

const scenarios = [
  streams,
  commonLimit,
  priorities,
  fairness,
  credentials,
  deployments,
  disconnects,
  faults,
  pause,
  rejections,
  restartOfRedis,
  otherModel,
  labels,
];
