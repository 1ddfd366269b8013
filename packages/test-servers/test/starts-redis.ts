// Starts a server, says its process id, and goes on until it is killed.
import { startRedis } from '@headgate/test-servers';

console.log((await startRedis()).pid);
setInterval(() => {}, 60_000);
