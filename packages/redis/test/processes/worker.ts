import { serve } from '@headgate/test-servers/processes';
import { RedisInstance, type Settings } from './instance.ts';

serve((settings: Settings, tell) => new RedisInstance(settings, tell));
