import { serve } from '@headgate/test-servers/processes';
import { PostgresWorkerLimiter, type Settings } from './worker-limiter.ts';

serve((settings: Settings, tell) => new PostgresWorkerLimiter(settings, tell));
