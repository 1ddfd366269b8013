// Each customer has a limit of its own: a customer that sends a hundred requests at once delays only itself.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit, ipKey } from '@headgate/express';
import express, { type Request } from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);

// A placeholder for real authentication, which must come before the limit: a key that clients can choose protects no one.
const customers = new Map([
  ['Bearer secret-a', { id: 'a', paying: true }],
  ['Bearer secret-b', { id: 'b', paying: false }],
]);
const customerOf = (req: Request) => customers.get(req.headers.authorization ?? '');

app.use(
  concurrencyLimit({
    limits: [
      {
        name: 'customer',
        key: (req) => customerOf(req)?.id ?? `ip ${ipKey(req.ip)}`,
        limit: (req) => (customerOf(req)?.paying ? 4 : 1),
        queueLimit: 1,
        statusCode: 429,
      },
      { name: 'app', limit: 100 },
    ],
    queueLimit: 200,
    queueTimeout: 2_000,
    maxHold: 30_000,
  }),
);

app.get('/', async (_req, res) => {
  await work(500); // placeholder for the real work
  res.send('Hello\n');
});

app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));
