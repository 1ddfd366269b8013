import { adaptive } from '@headgate/core';
import { expect, it } from 'vitest';
import { randomScene, recovers, useOf } from '../src/outages/recovery.ts';
import { randomFrom } from '../src/random.ts';

const batches = Array.from({ length: 10 }, (_, index) => index + 1);

it.each(batches)(
  'adaptive() recovers from each of 1,000 random outages, and in five seconds from nearly all (batch %i of 10)',
  (seed) => {
    const random = randomFrom(seed);
    const scenes = Array.from({ length: 1000 }, () => randomScene(random));
    const late = scenes.filter((scene) => !recovers(useOf(scene, adaptive(), 5)));
    expect(late.length).toBeLessThanOrEqual(12);
    const later = late.filter((scene) => !recovers(useOf(scene, adaptive(), 15), 0.75));
    expect(later.length).toBeLessThanOrEqual(1);
    expect(later.filter((scene) => !recovers(useOf(scene, adaptive(), 60)))).toEqual([]);
  },
  600_000,
);
