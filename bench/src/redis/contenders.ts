import type { Contender, Open, Setting } from './contenders/contender.ts';
import { headgate } from './contenders/headgate.ts';
import { minimal } from './contenders/minimal.ts';
import { bottleneck, redisSemaphore } from './contenders/peers.ts';
import { raw, returnOne } from './contenders/raw.ts';
import { handingOff, ours, reserving } from './contestants.ts';

const contenders: Record<string, Open> = {
  [ours]: headgate(),
  [handingOff]: headgate({ handoff: 10 }),
  [reserving]: headgate({ reserve: 2 }),
  minimal,
  'redis-semaphore': redisSemaphore,
  bottleneck,
  raw,
  'return 1': returnOne,
};

export function open(setting: Setting): Promise<Contender> {
  const open = contenders[setting.contender];
  if (!open) throw new Error(`no contender is called ${setting.contender}`);
  return open(setting);
}
