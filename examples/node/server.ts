// node:http without a framework: a limit that two handlers share, and an error that reaches the server's own handling.
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as work } from 'node:timers/promises';
import { admissionOf, concurrencyLimit } from '@headgate/node';

const port = Number(process.env.PORT ?? 3000);
const limit = concurrencyLimit({ limit: 2, queueLimit: 2, queueTimeout: 2_000, maxHold: 30_000 });

const page = limit(async (_req, res) => {
  await work(500); // placeholder for the real work
  res.end(`Waited ${admissionOf(res).waited} ms\n`);
});

const broken = limit(() => {
  throw new Error('broken');
});

function fail(error: unknown, res: ServerResponse): void {
  console.log(`Failed: ${error}`);
  if (res.headersSent) res.destroy();
  else res.writeHead(500).end();
}

const server = createServer(async (req, res) => {
  if (req.url === '/health') return res.end('ok');
  try {
    await (req.url === '/broken' ? broken : page)(req, res);
  } catch (error) {
    fail(error, res);
  }
});

server.listen(port, () => console.log(`http://localhost:${port}`));
