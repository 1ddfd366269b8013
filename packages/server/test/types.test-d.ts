import type { Hono } from 'hono';
import { pino } from 'pino';
import { expectTypeOf } from 'vitest';
import { createServer, type Listener } from '../src/index.ts';

const server = createServer({ semaphores: { A: 1, B: 2n ** 60n, C: { max: 3, level: -1 } } });
expectTypeOf(server.app).toEqualTypeOf<Hono>();
expectTypeOf(server.listen({ socket: '/run/headgate.sock' })).resolves.toEqualTypeOf<Listener>();

// A pino logger is a log.
createServer({ semaphores: {}, log: pino(), token: process.env.TOKEN });

// @ts-expect-error A semaphore has a full count.
createServer({ semaphores: { A: { level: 1 } } });

// @ts-expect-error There is no such option.
createServer({ semaphores: {}, port: 80 });
