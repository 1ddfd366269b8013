import { adaptive } from '@headgate/core';
import { expect, it } from 'vitest';
import { randomScene, recovers, useOf } from '../src/outages/recovery.ts';
import { randomFrom } from '../src/random.ts';

it('adaptive() uses the dependency again within five seconds after each of thirty random outages', () => {
  const random = randomFrom(1);
  const scenes = Array.from({ length: 30 }, () => randomScene(random));
  expect(scenes.filter((scene) => !recovers(useOf(scene, adaptive(), 5)))).toEqual([]);
});
