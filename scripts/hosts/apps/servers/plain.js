import { createServer } from 'node:http';
import { listener } from './routes.js';

createServer(listener).listen(process.env.PORT, process.env.HOST);
