import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { scenes } from '../src/ordinary/scenes.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/lab/ordinary-load.md'), 'utf8');

it.each(scenes)('the page shows that the default limit reaches its goal: $name', (scene) => {
  const row = page.split('\n').find((line) => line.startsWith(`| ${scene.name} |`)) ?? '';
  const [none, measured] = [...row.matchAll(/\d\.\d\d/g)].map(([figure]) => Number(figure));
  expect(measured).toBeGreaterThanOrEqual((scene.goal ?? 0) * (none ?? Number.NaN));
});
