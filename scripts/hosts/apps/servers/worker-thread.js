import { createServer } from 'node:http';
import { isMainThread, Worker } from 'node:worker_threads';
import { listener } from './routes.js';

if (isMainThread) new Worker(new URL(import.meta.url));
else createServer(listener).listen(process.env.PORT, process.env.HOST);
