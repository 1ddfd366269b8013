import { savingSuite } from '@headgate/test-servers/processes';
import { useServer } from '../server.ts';
import { useWorkers } from './workers.ts';

const workers = useWorkers();
const lease = 1_200;
const { server: redis } = await useServer();

savingSuite({
  start: (count, options) => workers.start(count, redis, { lease, ...options }),
  back: lease + 5_000,
});
