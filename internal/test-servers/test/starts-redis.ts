// Starts a server, prints its process ID, and runs until it is killed.
import { startRedis } from '@headgate/test-servers';

console.log((await startRedis()).pid);
setInterval(() => {}, 60_000);
