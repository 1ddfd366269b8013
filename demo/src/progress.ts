import { perSecond } from './format.ts';
import type { Tally } from './open-loop.ts';
import type { Phase } from './plan.ts';

const cellTime = 1_000;
const bars = '▁▂▃▄▅▆▇█';
const quietEvery = 10;

/** Shows the progress of a run: one line that is rewritten in a terminal, otherwise a line now and then. */
export function progressOf(title: string, phases: readonly Phase[], capacity: number) {
  const out = process.stdout;
  const end = Math.max(...phases.map((phase) => phase.to));
  const tallies: Tally[] = [];
  let curve = '';

  const show = (text: string) => {
    if (out.isTTY) out.write(`\r\x1b[2K${text.slice(0, (out.columns ?? 80) - 1)}`);
    else if (tallies.length % quietEvery === 0) out.write(`${text}\n`);
  };
  return {
    update(tally: Tally) {
      tallies.push(tally);
      const ago = tallies.findLast(({ at }) => at <= tally.at - cellTime) ?? tallies[0] ?? tally;
      const rate = (what: 'sent' | 'answered' | 'rejected' | 'gaveUp') =>
        ((tally[what] - ago[what]) / Math.max(1, tally.at - ago.at)) * 1_000;
      while (curve.length < Math.floor(Math.min(tally.at, end) / cellTime)) {
        curve +=
          bars[Math.min(bars.length - 1, Math.floor((rate('answered') / capacity) * bars.length))];
      }
      const phase = phases.find(({ to }) => tally.at < to)?.name ?? 'last answers';
      show(
        `${title.padEnd(13)} ${curve.padEnd(Math.floor(end / cellTime), '·')} ${phase.padEnd(12)} ` +
          `sent ${perSecond(rate('sent'))} · in time ${perSecond(rate('answered'))} · ` +
          `rejected ${perSecond(rate('rejected'))} · gave up ${perSecond(rate('gaveUp'))}`,
      );
    },
    done() {
      if (out.isTTY) out.write('\n');
    },
  };
}
