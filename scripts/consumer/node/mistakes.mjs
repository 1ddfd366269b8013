// Mistakes that Headgate reports: each at the first request that shows it, once per process, with a code.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createLimiter, ipKey } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import express from 'express';

const codes = [];
process.on('warning', ({ code, message }) => {
  console.log(`${code}: ${message}`);
  assert.match(message, new RegExp(`errors\\.md, ${code}\\)$`));
  codes.push(code);
});

/** Serves the app for these requests, and returns the codes of the warnings that they have caused. */
async function warningsOf(app, requests, headers = {}) {
  codes.length = 0;
  const server = app.listen(0);
  await once(server, 'listening');
  for (const path of requests)
    await fetch(`http://localhost:${server.address().port}${path}`, { headers });
  server.close();
  return [...codes];
}

const ok = (_req, res) => res.send('ok');

const perRequest = express();
perRequest.use((req, res, next) => concurrencyLimit({ limit: 1 })(req, res, next));
assert.deepEqual(await warningsOf(perRequest, Array(6).fill('/')), ['HEADGATE_LIMIT_PER_REQUEST']);

const behindRoutes = express()
  .get('/', ok)
  .use(concurrencyLimit({ limit: 1 }));
assert.deepEqual(await warningsOf(behindRoutes, ['/', '/none']), ['HEADGATE_BEHIND_ROUTES']);

const reports = { name: 'reports', limit: 1, route: '/reports/:id' };
const mounted = express().use('/api', concurrencyLimit({ limits: [reports] }), ok);
assert.deepEqual(await warningsOf(mounted, ['/api/reports/1']), ['HEADGATE_ROUTE_PREFIX']);

const clients = concurrencyLimit({ limit: 1, key: (req) => ipKey(req.ip) });
const forwarded = { 'X-Forwarded-For': '203.0.113.7' };
const untrusted = express().use(clients, ok);
assert.deepEqual(await warningsOf(untrusted, ['/'], forwarded), ['HEADGATE_UNTRUSTED_PROXY']);

const users = concurrencyLimit({ limit: 1, key: (req) => req.user?.id });
const anonymous = express().use(users, ok);
const thousand = Array.from({ length: 1000 }, () => '/');
assert.deepEqual(await warningsOf(anonymous, thousand), ['HEADGATE_KEY_UNDEFINED']);

/** Mistakes that are errors, at construction or at the first call. */
const errors = [
  [() => createLimiter({ limit: 1, queue: 5 }), 'ERR_HEADGATE_UNKNOWN_OPTION', /"queueLimit"/],
  [() => concurrencyLimit({ limit: () => 4 }), 'ERR_HEADGATE_OPTION', /limit/],
  [() => concurrencyLimit({ limits: [{ limit: 4 }] }), 'ERR_HEADGATE_OPTION', /name/],
];
for (const [make, code, message] of errors) {
  assert.throws(make, (error) => {
    console.log(`${error.code}: ${error.message}`);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return error.help.endsWith(code.toLowerCase());
  });
}
