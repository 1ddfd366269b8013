// The hook limits a server that knows nothing of it, whether it is preloaded as an ES module or by require().
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const program = `
  const server = require('node:http').createServer(() => {}).listen(0, '127.0.0.1', async () => {
    const url = 'http://127.0.0.1:' + server.address().port;
    fetch(url).catch(() => {});
    await new Promise((resolve) => server.once('request', resolve));
    const { status } = await fetch(url);
    console.log(status);
    process.exit();
  });
`;

for (const flag of ['--import', '--require']) {
  const env = { ...process.env, HEADGATE: '{ "limit": 1, "queueLimit": 0 }' };
  const args = [flag, '@headgate/node/register', '--eval', program];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.equal(output, '503\n', flag);
}

console.log('A preloaded hook limits a server.');
