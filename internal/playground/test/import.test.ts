import { expect, it } from 'vitest';
import { mount } from '../src/index.ts';

it('is imported without a DOM, as for rendering on a server', () => {
  expect(globalThis).not.toHaveProperty('document');
  expect(mount).toBeTypeOf('function');
});
