import { serve } from '@headgate/test-servers/processes';
import { PostgresInstance, type Settings } from './instance.ts';

serve((settings: Settings, tell) => new PostgresInstance(settings, tell));
