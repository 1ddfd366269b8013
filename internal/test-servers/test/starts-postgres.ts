// Starts a server, prints its process ID, and runs until it is killed.
import { startPostgres } from '@headgate/test-servers';

console.log((await startPostgres()).pid);
setInterval(() => {}, 60_000);
