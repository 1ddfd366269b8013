// A server of node:http2 that also speaks HTTP/1.1: both kinds of requests share the limit.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { withHost } from './http-checks.mjs';

/** The server's certificate is its own. */
const insecure = { rejectUnauthorized: false };

export async function http2Check({ project, backend }) {
  const options = { command: ['node', 'http2.js'], protocol: 'https' };
  await withHost(project, backend, options, async (host) => {
    const session = connect(host.url(), insecure);
    try {
      await limitIsShared(host, backend, session);
      await resetStreamsFreeTheirPermits(host, backend, session);
    } finally {
      session.destroy();
    }
  });
  await withHost(project, backend, { ...options, HEADGATE: 'off' }, async (host) => {
    const all = Array.from({ length: 4 }, () => overHttp1(host, '/slow'));
    await backend.holds(4);
    for (const { status } of await backend.releasing(Promise.all(all))) assert.equal(status, 200);
  });
}

async function limitIsShared(host, backend, session) {
  const running = [overHttp1(host, '/slow'), overHttp2(session, '/slow').response];
  await backend.holds(2);
  const queued = overHttp2(session, '/slow').response;
  await host.has({ active: 2, queued: 1 });
  for (const rejected of [overHttp1(host, '/'), overHttp2(session, '/').response]) {
    const { status, retryAfter } = await rejected;
    assert.equal(status, 503);
    assert.match(retryAfter ?? '', /^\d+$/);
  }
  for (const { status, text } of await backend.releasing(Promise.all([...running, queued]))) {
    assert.equal(status, 200);
    assert.match(text, /The slow answer/);
  }
  await host.has({ active: 0, queued: 0 });
}

async function resetStreamsFreeTheirPermits(host, backend, session) {
  const streams = ['/slow', '/slow'].map((path) => overHttp2(session, path));
  await backend.holds(2);
  streams.push(overHttp2(session, '/slow'));
  await host.has({ active: 2, queued: 1 });
  for (const { stream } of streams) stream.close();
  await host.has({ queued: 0 });
  await backend.releasing(host.has({ active: 0, queued: 0 }));
  assert.equal((await overHttp2(session, '/').response).status, 200);
}

function overHttp2(session, path) {
  const stream = session.request({ ':path': path });
  return { stream, response: responseOf(stream) };
}

async function responseOf(stream) {
  const [headers] = await once(stream, 'response');
  const text = await textOf(stream);
  return { status: headers[':status'], retryAfter: headers['retry-after'], text };
}

async function overHttp1(host, path) {
  const [res] = await once(request(host.url(path), insecure).end(), 'response');
  const text = await textOf(res);
  return { status: res.statusCode, retryAfter: res.headers['retry-after'], text };
}

async function textOf(stream) {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += part;
  return text;
}
