// Preloaded into an example: reports the port it listens on to its check, and ends with it.
import cluster from 'node:cluster';
import net from 'node:net';

// A worker of a cluster disconnects itself.
if (cluster.isPrimary) {
  process.channel.unref();
  process.once('disconnect', () => process.exit(1));
}

const { listen } = net.Server.prototype;

// The workers of a cluster report to the primary.
if (cluster.isPrimary) cluster.once('listening', (_worker, { port }) => process.send(port));

net.Server.prototype.listen = function (...args) {
  this.once('listening', () => process.send(this.address().port));
  return listen.apply(this, args);
};
