import { expect, it } from 'vitest';
import { StartedApp } from './started-app.ts';

const app = `
  import { AsyncLocalStorage } from 'node:async_hooks';
  import { createServer, get } from 'node:http';
  const { run } = AsyncLocalStorage.prototype;
  let contexts = 0;
  AsyncLocalStorage.prototype.run = function (...args) {
    contexts++;
    return run.apply(this, args);
  };
  const server = createServer((req, res) => {
    if (req.url === '/contexts') return res.end(String(contexts));
    if (req.url === '/inner') return res.end('inner');
    const { port } = server.address();
    if (req.url === '/fetch')
      return void fetch('http://127.0.0.1:' + port + '/inner').then(({ status }) => res.writeHead(status).end());
    get({ port, path: '/inner' }, (inner) => inner.pipe(res.writeHead(inner.statusCode)));
  }).listen(0, function () { console.log(this.address().port); });
`;

it('from its first call to itself on, a process runs such calls on the permits of its pages', async () => {
  const HEADGATE = JSON.stringify({ limit: 2, queueTimeout: 5_000 });
  const started = new StartedApp({ app, HEADGATE });
  const origin = await started.url('');
  const contexts = async () => (await fetch(`${origin}/contexts`)).text();
  expect([await contexts(), await contexts()]).toEqual(['0', '0']);
  expect((await fetch(`${origin}/get`)).status).toBe(200);
  expect(await contexts()).not.toBe('0');
  const paths = ['/get', '/fetch', '/get', '/fetch', '/get', '/fetch'];
  const responses = await Promise.all(paths.map((path) => fetch(origin + path)));
  expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
});
