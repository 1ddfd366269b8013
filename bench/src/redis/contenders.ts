import type { Contender, Open } from '../distributed/contender.ts';
import { handingOff, ours, reserving } from '../distributed/contender-names.ts';
import { headgate } from './contenders/headgate.ts';
import { bottleneck, redisSemaphore } from './contenders/libraries.ts';
import { minimal } from './contenders/minimal.ts';
import { raw, returnOne } from './contenders/raw.ts';
import type { RedisSetting } from './contenders/setting.ts';

const contenders: Record<string, Open<RedisSetting>> = {
  [ours]: headgate(),
  [handingOff]: headgate({ handoff: 10 }),
  [reserving]: headgate({ reserve: 2 }),
  minimal,
  'redis-semaphore': redisSemaphore,
  bottleneck,
  raw,
  'return 1': returnOne,
};

export function open(setting: RedisSetting): Promise<Contender> {
  const open = contenders[setting.contender];
  if (!open) throw new Error(`no contender is called ${setting.contender}`);
  return open(setting);
}
