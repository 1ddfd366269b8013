import { createServer } from 'node:http';
import { concurrencyLimit } from '@headgate/node';
import type { Handler } from '../handler.ts';
import { type Apps, behindHook } from './app.ts';
import { callback, promise, silentCallback } from './handlers.ts';
import { options } from './limit.ts';

const limited = (handler: Handler) => createServer(concurrencyLimit(options)(handler));

export const apps: Apps = {
  '`node:http`, callback': (work) => limited(callback(work)),
  '`node:http`, callback, silent': (work) => limited(silentCallback(work)),
  '`node:http`, async': (work) => limited(promise(work)),
  '`node:http` behind the hook, callback': behindHook((work) => createServer(callback(work))),
};
