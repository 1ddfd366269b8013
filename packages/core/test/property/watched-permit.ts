import type { Permit } from '../../src/index.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';

interface PermitWatcher {
  /** The weight that counts is about to change. */
  changes(weight: number): void;
  /** The permit is about to count for nothing, for now or for good. */
  pauses(): void;
  releases(): void;
}

/** Wraps the methods of a permit that change its counted weight. */
export function watchPermit(permit: Permit, watcher: PermitWatcher): void {
  const base = permit as BasePermit;
  const { release, adjust, pauseCounting, countAgain, stopCounting } =
    Object.getPrototypeOf(permit);
  let counts = true;
  let hasStopped = false;
  const add = (weight: number) => {
    if (counts) watcher.changes(weight);
  };
  const pause = () => {
    add(-permit.weight);
    counts = false;
    watcher.pauses();
  };
  permit.adjust = (weight) => {
    add(weight - permit.weight);
    adjust.call(permit, weight);
  };
  base.pauseCounting = () => {
    pause();
    pauseCounting.call(permit);
  };
  base.countAgain = () => {
    if (!counts && !hasStopped) {
      counts = true;
      add(permit.weight);
    }
    countAgain.call(permit);
  };
  base.stopCounting = () => {
    pause();
    hasStopped = true;
    stopCounting.call(permit);
  };
  permit.release = (outcome) => {
    add(-permit.weight);
    watcher.releases();
    release.call(permit, outcome);
  };
}
