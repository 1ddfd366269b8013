import { progress } from '../runner.ts';
import { median } from '../stats.ts';
import { number, type Table } from '../table.ts';
import type { ServerPlan } from './plan.ts';
import { Service } from './service.ts';

/** Measures the time from the process's start to its first answer. */
export async function startUp({ starts }: ServerPlan): Promise<Table> {
  const times: number[] = [];
  for (let i = 0; i < starts; i++) {
    progress(`start-up: ${i}/${starts}`);
    const service = await Service.start({ A: 1 });
    times.push(service.startUp);
    await service.stop();
  }
  return {
    title: 'Start-up',
    columns: ['', 'ms'],
    rows: [
      ['median', number(median(times))],
      ['longest', number(Math.max(...times))],
    ],
    goals: [
      { what: 'to the first answer, median', target: 500, measured: median(times), unit: 'ms' },
    ],
  };
}
