import { serve } from '@headgate/test-servers/processes';
import { ServerWorkerLimiter, type Settings } from './worker-limiter.ts';

serve((settings: Settings, tell) => new ServerWorkerLimiter(settings, tell));
