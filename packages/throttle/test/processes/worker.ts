import { serve } from '@headgate/test-servers/processes';
import { type Settings, ThrottleInstance } from './instance.ts';

serve((settings: Settings, tell) => new ThrottleInstance(settings, tell));
