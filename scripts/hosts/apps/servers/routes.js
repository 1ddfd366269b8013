// The routes of the servers that have no router of their own.
import { Readable } from 'node:stream';

export async function slowAnswer() {
  const response = await fetch(process.env.BACKEND_URL);
  return `The slow answer is ${await response.text()}`;
}

export function slowStream() {
  return Readable.from(parts(), { objectMode: false });
}

async function* parts() {
  yield 'first\n';
  await fetch(process.env.BACKEND_URL);
  yield 'last\n';
}

export async function listener(req, res) {
  if (req.url === '/slow') return res.end(await slowAnswer());
  if (req.url === '/stream') return slowStream().pipe(res);
  res.end('Hello from the page');
}
