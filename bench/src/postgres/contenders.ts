import type { Contender, Open, Setting } from '../distributed/contender.ts';
import { handingOff, ours, reserving } from '../distributed/contender-names.ts';
import { bare } from './contenders/bare.ts';
import { headgate } from './contenders/headgate.ts';

/** The contender without a limit. */
export const bareName = 'two UPDATEs';

const contenders: Record<string, Open> = {
  [ours]: headgate(),
  [handingOff]: headgate({ handoff: 10 }),
  [reserving]: headgate({ reserve: 2 }),
  [bareName]: bare,
};

export function open(setting: Setting): Promise<Contender> {
  const open = contenders[setting.contender];
  if (!open) throw new Error(`no contender is called ${setting.contender}`);
  return open(setting);
}
