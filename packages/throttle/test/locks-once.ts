// A process that acquires and releases one lock at the service whose URL it is given.
import { throttleClient } from '@headgate/throttle';

const client = throttleClient({ url: process.argv[2] as string });
const lock = await client.lock('A', { timeout: 5_000 });
console.log(lock.signal.aborted ? 'lost' : 'held');
await lock.release();
await client.close();
