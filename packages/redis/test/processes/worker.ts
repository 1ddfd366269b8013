import { serve } from '@headgate/test-servers/processes';
import { connect } from './connect.ts';
import { RedisWorkerLimiter, type Settings } from './worker-limiter.ts';

serve(
  async (settings: Settings, tell) =>
    new RedisWorkerLimiter(await connect(settings), settings, tell),
);
