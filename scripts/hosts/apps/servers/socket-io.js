import { createServer } from 'node:http';
import { Server } from 'socket.io';
import { listener } from './routes.js';

const server = createServer(listener);
const io = new Server(server);
io.on('connection', (socket) => {
  socket.on('message', (text) => socket.emit('message', text));
});
server.listen(process.env.PORT, process.env.HOST);
