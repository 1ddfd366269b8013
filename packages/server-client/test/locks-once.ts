// A process that acquires and releases one lock at the service whose URL it is given.
import { lockClient } from '@headgate/server-client';

const client = lockClient({ url: process.argv[2] as string });
const lock = await client.lock('A', { timeout: 5_000 });
console.log(lock.signal.aborted ? 'lost' : 'held');
await lock.release();
await client.close();
