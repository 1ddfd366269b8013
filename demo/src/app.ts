import { concurrencyLimit } from '@headgate/express';
import express, { type Express } from 'express';
import { Database } from './database.ts';

/** The queries of the server. */
export interface Work {
  done: number;
  /** The part done for clients that had disconnected. */
  wasted: number;
}

/** A page whose content is in a database, with or without Headgate in front of it. */
export function createApp(isGuarded: boolean): { app: Express; work: Work } {
  const work: Work = { done: 0, wasted: 0 };
  const database = new Database();

  const app: Express = express();
  app.get('/health', (_req, res) => void res.json({ ok: true }));

  if (isGuarded) {
    const limit = concurrencyLimit();
    app.get('/stats', (_req, res) => void res.json(limit.stats()));
    app.use('/article', limit);
  }

  app.get('/article', async (req, res) => {
    await database.query();
    work.done++;
    if (req.socket.destroyed) work.wasted++;
    res.json({ title: 'How to stay up' });
  });
  return { app, work };
}
