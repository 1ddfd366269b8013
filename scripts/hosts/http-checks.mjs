// What the hook promises for any HTTP server: each check has an app with the routes `/`, `/slow` and `/stream`.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { StartedHost } from './started-host.mjs';

/** Longer than all checks of an app take. */
const TIMEOUT_MS = 180_000;

/**
 * All checks of an app, in two starts: with the hook, and with `HEADGATE=off`.
 *
 * @param options.assets Whether the page has assets.
 * @param options.ownCalls Whether the app has the route `/own`, a page that calls `/slow` of its own server.
 */
export function httpChecks(options = {}) {
  return async ({ project, backend }) => {
    await withHost(project, backend, options, async (host) => {
      assert.match(host.stderr, /headgate: limits the requests to this process \(app: 2\)/);
      await pageIsComplete(host, options);
      await requestsBeyondTheLimitAreRejected(host, backend);
      await streamsAreNotBuffered(host, backend);
      await abortedRequestsFreeTheirPermits(host, backend);
      if (options.ownCalls) await ownCallsNeedNoPermit(host, backend);
      await pageIsComplete(host, options);
    });
    await withHost(project, backend, { ...options, HEADGATE: 'off' }, async (host) => {
      await nothingIsRejected(host, backend);
      await pageIsComplete(host, options);
      assert.doesNotMatch(host.stderr, /headgate/);
    });
  };
}

/** Starts the app, and stops it in any case. */
export async function withHost(project, backend, options, work) {
  const host = await StartedHost.start(project, backend, options);
  const late = new AbortController();
  const timeout = delay(TIMEOUT_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error('the checks have not ended');
  });
  try {
    return await Promise.race([work(host), timeout]);
  } catch (error) {
    error.stack += `\n--- its output:\n${host.output}`;
    throw error;
  } finally {
    late.abort();
    await host.stop();
    backend.release();
  }
}

/** The page has its text, and each of its assets is served completely. */
async function pageIsComplete(host, { assets: expectsAssets = false }) {
  const text = await textOf(host, '/');
  assert.match(text, /Hello from the page/);
  const found = text.matchAll(/(?:src|href)="(\.?\/[^"]+\.(?:js|css|mjs)[^"]*)"/g);
  const assets = new Set(Array.from(found, ([, path]) => new URL(path, host.url()).pathname));
  if (expectsAssets) assert.notEqual(assets.size, 0, `the page has no assets:\n${text}`);
  for (const asset of assets) assert.notEqual((await textOf(host, asset)).length, 0);
}

async function textOf(host, path) {
  const res = await fetch(host.url(path));
  const text = await res.text();
  assert.equal(res.status, 200, `${path} has the status ${res.status}: ${text}`);
  return text;
}

/** Two requests run, one waits, and the others are rejected at once; the first three get their answers. */
async function requestsBeyondTheLimitAreRejected(host, backend) {
  await host.has({ active: 0, queued: 0 });
  const running = [fetch(host.url('/slow')), fetch(host.url('/slow'))];
  await backend.holds(2);
  const queued = fetch(host.url('/slow'));
  await host.has({ active: 2, queued: 1 });
  for (const path of ['/', '/slow']) {
    const rejected = await fetch(host.url(path));
    assert.equal(rejected.status, 503);
    assert.match(rejected.headers.get('Retry-After') ?? '', /^\d+$/);
  }
  for (const res of await backend.releasing(Promise.all([...running, queued]))) {
    assert.equal(res.status, 200);
    assert.match(await res.text(), /The slow answer/);
  }
  await host.has({ active: 0, queued: 0 });
}

/** The first part of a stream arrives before the last is sent, and the stream holds its permit until its end. */
async function streamsAreNotBuffered(host, backend) {
  const res = await fetch(host.url('/stream'));
  const parts = res.body.pipeThrough(new TextDecoderStream()).getReader();
  const { value: first } = await parts.read();
  assert.match(first, /first/);
  await backend.holds(1);
  await host.has({ active: 1, queued: 0 });
  backend.release();
  let rest = '';
  for (let part = await parts.read(); !part.done; part = await parts.read()) rest += part.value;
  assert.match(rest, /last/);
  await host.has({ active: 0, queued: 0 });
}

/** A request that its client aborts leaves the queue at once; a running one holds its permit until its work is done. */
async function abortedRequestsFreeTheirPermits(host, backend) {
  const abort = new AbortController();
  const options = { signal: abort.signal };
  const streaming = fetch(host.url('/stream'), options).then((res) => res.text());
  const running = fetch(host.url('/slow'), options);
  await backend.holds(2);
  const queued = fetch(host.url('/slow'), options);
  await host.has({ active: 2, queued: 1 });
  abort.abort();
  const results = await Promise.allSettled([streaming, running, queued]);
  assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['rejected']));
  await host.has({ queued: 0 });
  await backend.releasing(host.has({ active: 0, queued: 0 }));
  const paths = ['/', '/slow', '/stream'];
  const aborted = Array.from({ length: 100 }, () => abortedAtRandom(host, paths));
  await backend.releasing(Promise.all(aborted).then(() => host.has({ active: 0, queued: 0 })));
}

/**
 * A page that calls a route of its own server is served while such pages hold all permits: the call runs on the permit of
 * its page. The process learns from its first call to itself.
 */
async function ownCallsNeedNoPermit(host, backend) {
  for (const pages of [1, 2, 2]) {
    const own = Array.from({ length: pages }, () => textOf(host, '/own'));
    for (const text of await backend.releasing(Promise.all(own)))
      assert.match(text.replaceAll('<!-- -->', ''), /The slow page answered 200/);
    await host.has({ active: 0, queued: 0 });
  }
}

export async function abortedAtRandom(host, paths) {
  const path = paths[Math.floor(Math.random() * paths.length)];
  const abort = new AbortController();
  const read = fetch(host.url(path), { signal: abort.signal }).then((res) => res.text());
  await Promise.race([read, delay(Math.random() * 100)]).catch(() => {});
  abort.abort();
  await read.catch(() => {});
}

async function nothingIsRejected(host, backend) {
  const slow = Array.from({ length: 5 }, () => fetch(host.url('/slow')));
  await backend.holds(5);
  for (const res of await backend.releasing(Promise.all(slow))) assert.equal(res.status, 200);
}
