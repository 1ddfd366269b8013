// A function of a serverless platform behind the default limit: handles a request for each line of its input.
import { createInterface } from 'node:readline';
import { concurrencyLimit } from '@headgate/node';
import { hosts } from '@headgate/test-kit/hosts';

const limit = concurrencyLimit();
const host = hosts.find(({ name }) => name === process.argv[2]);
const send = host?.start(limit((_req, res) => void res.end('ok')));

for await (const _ of createInterface({ input: process.stdin })) {
  const { status } = (await send?.('/')) ?? {};
  console.log(`${status}, ${limit.holders} in flight, ${limit.queued} queued`);
}
