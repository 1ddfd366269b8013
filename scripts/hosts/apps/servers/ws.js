import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { listener } from './routes.js';

const server = createServer(listener);
const sockets = new WebSocketServer({ server });
sockets.on('connection', (socket) => {
  socket.on('message', (data) => socket.send(String(data)));
});
server.listen(process.env.PORT, process.env.HOST);
