import { savingSuite } from '@headgate/test-servers/processes';
import { useServer } from '../server.ts';
import { useCrew } from './crew.ts';

const crew = useCrew();
const lease = 1_200;
const { server: redis } = await useServer();

savingSuite({
  start: (count, options) => crew.start(count, redis, { lease, ...options }),
  back: lease + 5_000,
});
