import { describe, test } from 'vitest';
import { deadProcessesRecovered } from '../../src/invariants/recovery.ts';
import { allReleased } from '../../src/invariants/release.ts';
import { allAlive } from '../../src/invariants/survival.ts';
import { machineClock } from '../../src/log/watch-loop.ts';
import { breaks, emptyLog, holds } from '../log-builder.ts';

describe('every permit is released', () => {
  const probe = (admitted: number, inflight = 0, queued = 0) =>
    emptyLog(3).event({ kind: 'probed', from: 0, at: 1, limit: 3, admitted, inflight, queued });

  test('the whole limit must be available at the end, and no lease may be left', () => {
    holds(allReleased, probe(3));
    breaks(allReleased, probe(2), /2 of 3/);
    breaks(allReleased, probe(3, 1), /1 held/);
    breaks(allReleased, probe(3, 0, 1), /1 queued/);
    breaks(allReleased, probe(2).paused('a', -9, -1), /2 of 3/);
    holds(allReleased, probe(2).paused('a', 0, 1));
  });

  test('a lease may last longer only if the clock of the machine was set', () => {
    const stalled = (worker: string) =>
      probe(3, 1).event({ kind: 'stalled', at: 900, from: 800, worker });
    breaks(allReleased, stalled('a'), /1 held/);
    holds(allReleased, stalled(machineClock));
  });
});

describe('permits of dead processes become available', () => {
  const recovered = (at: number, admitted = true) =>
    emptyLog().event({ kind: 'recovered', from: 0, at, limit: 1, admitted });

  test('permits must be available within the time that the store promises', () => {
    holds(deadProcessesRecovered, recovered(1_100));
    breaks(deadProcessesRecovered, recovered(1_300), /only 1300 ms later/);
    breaks(deadProcessesRecovered, recovered(500, false), /never available/);
    holds(deadProcessesRecovered, recovered(1_300).paused('b', 200, 400));
  });
});

describe('no process dies', () => {
  test('only a killed process may end, and no error may be unhandled', () => {
    const exited = () => emptyLog().event({ kind: 'exited', at: 5, worker: 'a', how: '1' });
    holds(allAlive, exited().killed('a', 4));
    breaks(allAlive, exited(), /a ended: 1/);
    breaks(allAlive, exited().killed('b', 4), /a ended: 1/);
    breaks(
      allAlive,
      emptyLog().event({ kind: 'failed', at: 5, worker: 'a', what: 'oops' }),
      /a: oops/,
    );
  });
});
