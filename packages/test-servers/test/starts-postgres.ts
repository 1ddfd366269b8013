// Starts a server, says its process id, and goes on until it is killed.
import { startPostgres } from '@headgate/test-servers';

console.log((await startPostgres()).pid);
setInterval(() => {}, 60_000);
