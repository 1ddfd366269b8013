import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { concurrencyLimit } from '@headgate/express';
import express, { type Express } from 'express';
import type { Protection } from './protection.ts';

/** The work done by the server's threads. */
export interface Work {
  done: number;
  /** The part done for clients that had disconnected. */
  wasted: number;
}

// A hash takes some tens of milliseconds of a core and 16 MB. That is twice Node's default cost, so that hashing keeps
// the machine busy rather than the load generator, which shares it.
const cost = { N: 16_384, r: 8, p: 2 };
const hash = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
const keyLength = 32;

/** An account page behind a password (HTTP Basic), with or without Headgate in front of it. */
export async function createApp(protection: Protection | undefined) {
  const work: Work = { done: 0, wasted: 0 };
  const salt = randomBytes(16);
  const stored = await hash('correct-horse', salt, keyLength, cost);

  const app: Express = express();
  app.get('/health', (_req, res) => void res.json({ ok: true }));

  if (protection) {
    const limit = concurrencyLimit(protection);
    app.get('/stats', (_req, res) => void res.json(limit.stats()));
    app.use('/account', limit);
  }

  app.get('/account', async (req, res) => {
    const given = await hash(passwordOf(req.headers.authorization), salt, keyLength, cost);
    work.done++;
    if (req.socket.destroyed) work.wasted++;
    if (timingSafeEqual(given, stored)) res.json({ welcome: true });
    else res.status(401).set('WWW-Authenticate', 'Basic').json({ welcome: false });
  });
  return { app, work };
}

function passwordOf(authorization = ''): string {
  const credentials = Buffer.from(authorization.replace(/^basic /i, ''), 'base64').toString();
  return credentials.slice(credentials.indexOf(':') + 1);
}
