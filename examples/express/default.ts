// The default limit: no numbers. Rendering keeps the event loop busy; under load, orders are served before the rest.
import { concurrencyLimit } from '@headgate/express';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);

app.get('/health', (_req, res) => {
  res.send('ok');
});

app.use(concurrencyLimit({ priority: (req) => (req.path === '/orders' ? 'critical' : 'normal') }));

function render(): string {
  const end = performance.now() + 20; // placeholder for the real work
  while (performance.now() < end);
  return 'Hello\n';
}

app.post('/orders', (_req, res) => {
  res.send(render());
});

app.get('/', (_req, res) => {
  res.send(render());
});

app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));
