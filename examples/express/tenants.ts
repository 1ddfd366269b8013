// One customer's burst does not delay the others: customers are served in turn, and paying ones have half of the limit guaranteed.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit, ipKey } from '@headgate/express';
import express, { type Request } from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);

// A placeholder for real authentication, which must come before the limit.
const customers = new Map([
  ['Bearer secret-a', { id: 'a', paying: true }],
  ['Bearer secret-b', { id: 'b', paying: false }],
  ['Bearer secret-c', { id: 'c', paying: false }],
]);
const customerOf = (req: Request) => customers.get(req.headers.authorization ?? '');

app.use(
  concurrencyLimit({
    limit: 4,
    queueLimit: 40,
    queueTimeout: 10_000,
    maxHold: 30_000,
    fairBy: (req) => customerOf(req)?.id ?? `ip ${ipKey(req.ip)}`,
    shares: {
      parts: { paying: 0.5 },
      by: (req) => (customerOf(req)?.paying ? 'paying' : undefined),
    },
  }),
);

app.get('/', async (_req, res) => {
  await work(200); // placeholder for the real work
  res.send('Hello\n');
});

app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));
