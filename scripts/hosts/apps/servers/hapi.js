import Hapi from '@hapi/hapi';
import { slowAnswer, slowStream } from './routes.js';

const server = Hapi.server({
  port: process.env.PORT,
  host: process.env.HOST,
  // Compression would delay the stream.
  compression: false,
});
server.route([
  { method: 'GET', path: '/', handler: () => 'Hello from the page' },
  { method: 'GET', path: '/slow', handler: () => slowAnswer() },
  { method: 'GET', path: '/stream', handler: () => slowStream() },
]);
await server.start();
