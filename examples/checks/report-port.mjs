// Loaded before a program: tells its check on which port it listens.
import net from 'node:net';

const { listen } = net.Server.prototype;

net.Server.prototype.listen = function (...args) {
  this.once('listening', () => process.send(this.address().port));
  return listen.apply(this, args);
};
