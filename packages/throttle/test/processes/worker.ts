import { serve } from '@headgate/test-servers/processes';
import { type Settings, ThrottleWorkerLimiter } from './worker-limiter.ts';

serve((settings: Settings, tell) => new ThrottleWorkerLimiter(settings, tell));
