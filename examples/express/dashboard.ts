// A live page of the limits at /admin/limits, behind a password. Its viewers may also change limits.
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as work } from 'node:timers/promises';
import { dashboard } from '@headgate/dashboard/express';
import { concurrencyLimit } from '@headgate/express';
import express, { type Request } from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);
const password = process.env.DASHBOARD_PASSWORD; // without one, every request is refused
const limit = concurrencyLimit({ name: 'api', limit: 20, queueLimit: 40, queueTimeout: 2_000 });

const page = dashboard({
  limits: [limit],
  authorize: (req) => (isOperator(req) ? 'operate' : false),
});

app.use('/admin/limits', (req, res, next) => {
  // Browsers then ask for a user name and the password.
  if (isOperator(req)) next();
  else res.status(401).set('WWW-Authenticate', 'Basic realm="limits"').end();
});
app.use('/admin/limits', page); // before the limit, which may reject everything

app.use(limit);

app.get('/', async (_req, res) => {
  await work(200); // placeholder for the real work
  res.send('Hello\n');
});

const server = app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', async () => {
  server.close();
  page.close(); // open pages would keep the server from closing
  await limit.close({ timeout: 10_000 });
  server.closeIdleConnections();
});

function isOperator(req: Request): boolean {
  const [, encoded = ''] = (req.get('authorization') ?? '').split(' ');
  const text = Buffer.from(encoded, 'base64').toString();
  const given = Buffer.from(text.slice(text.indexOf(':') + 1));
  const expected = Buffer.from(password ?? '');
  return given.length > 0 && given.length === expected.length && timingSafeEqual(given, expected);
}
