import { serve } from '@headgate/test-servers/processes';
import { connect } from './connect.ts';
import { RedisInstance, type Settings } from './instance.ts';

serve(
  async (settings: Settings, tell) => new RedisInstance(await connect(settings), settings, tell),
);
