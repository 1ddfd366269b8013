import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { listener } from './routes.js';

if (cluster.isPrimary) for (let count = 0; count < 2; count++) cluster.fork();
else createServer(listener).listen(process.env.PORT, process.env.HOST);
