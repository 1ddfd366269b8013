// Uses a limit once and has no further work, so it must end by itself. Some variants do not release, or do not close.
import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

const [port, library, ending = ''] = process.argv.slice(2);
const socket = { host: '127.0.0.1', port: Number(port) };
const old = new Redis({ ...socket, lazyConnect: true });
const young = createClient({ socket });
if (library === 'ioredis') await old.connect();
else await young.connect();
const client = library === 'ioredis' ? old : young;
const store = redisStore({ client });
// Its client is closed before the limiter, so an outage is expected.
const observer = { store: () => {} };
const limiter = createLimiter({ name: `${library} ${ending}`, limit: 1, store });
limiter.observe(observer);
const permit = await limiter.acquire();
if (!ending.includes('holding')) permit.release();
if (ending.includes('closing')) await limiter.close({ timeout: 0 });
if (library === 'ioredis') await old.quit();
else await young.close();
