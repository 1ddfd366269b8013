// Reports are expensive, so they have a limit of their own, in addition to the limit of the whole app.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);

app.use(
  concurrencyLimit({
    limits: [
      { name: 'reports', limit: 2, route: 'POST /reports/:id', queueLimit: 2 },
      { name: 'app', limit: 100 },
    ],
    queueLimit: 200,
    queueTimeout: 2_000,
    maxHold: 30_000,
    skip: (req) => req.path === '/health',
  }),
);

app.get('/health', (_req, res) => {
  res.send('ok');
});

app.get('/', (_req, res) => {
  res.send('Hello\n');
});

app.post('/reports/:id', async (req, res) => {
  await work(500); // placeholder for the real work
  res.send(`Report ${req.params.id}\n`);
});

app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));
