const assert = require('node:assert/strict');
const { servers } = require('./servers.cjs');
const { withoutServer } = require('./without-server.cjs');

/** A handler that reports its start, and runs until `end` is called. */
function createWork() {
  const work = { calls: 0 };
  work.started = new Promise((resolve) => {
    work.start = resolve;
  });
  work.ended = new Promise((resolve) => {
    work.end = resolve;
  });
  work.run = async () => {
    work.calls += 1;
    work.start();
    await work.ended;
    return 'Hello';
  };
  return work;
}

/** A limit of 1 without a queue: while the first request runs, the second one is rejected. */
async function check(name, load) {
  const work = createWork();
  const { port, close } = await servers[name](load, work.run, { limit: 1, queueLimit: 0 });
  const url = `http://127.0.0.1:${port}/`;
  const first = fetch(url);
  await work.started;
  const second = await fetch(url);
  assert.equal(second.status, 503, name);
  assert.match(second.headers.get('retry-after'), /^[1-9]\d*$/, name);
  work.end();
  assert.equal(await (await first).text(), 'Hello', name);
  assert.equal(work.calls, 1, name);
  await close();
}

/**
 * Runs one small app for each package.
 *
 * @param load `import()` or `require()`.
 */
exports.checkAll = async (load) => {
  for (const name of Object.keys(servers)) await check(name, load);
  await withoutServer(load);
  console.log(`${Object.keys(servers).join(', ')}: each app limits its requests.`);
};
