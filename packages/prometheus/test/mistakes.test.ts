import { createGate } from '@headgate/core';
import type { Measurable } from '@headgate/core/metrics';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { instrument } from '../src/index.ts';
import { limited, scrape } from './scrape.ts';

describe('a mistake throws', () => {
  const add = (limits: unknown, options?: object) => () =>
    instrument(limits as Measurable, options);

  it.each([[undefined], [5], [{}], [{ limit: 5 }], [() => {}]])(
    'a value that is not a limit: %s',
    (value) => {
      const error = { code: 'ERR_HEADGATE_OPTION', option: 'limit' };
      const register = new Registry();
      expect(add(value, { register })).toThrow(expect.objectContaining(error));
      expect(add([limited().limiter, value], { register })).toThrow(expect.objectContaining(error));
      expect(register.getMetricsAsArray()).toEqual([]);
    },
  );

  it('a registry of the wrong type, and an unknown option', () => {
    const { limiter } = limited();
    const register = { code: 'ERR_HEADGATE_OPTION', option: 'register' };
    expect(add(limiter, { register: {} })).toThrow(expect.objectContaining(register));
    expect(add(limiter, { register: 'default' })).toThrow(expect.objectContaining(register));
    expect(add(limiter, { registry: new Registry() })).toThrow('did you mean "register"?');
    const asOption = 'register must be an option, as in instrument(limits, { register })';
    expect(add(limiter, new Registry())).toThrow(asOption);
    expect(add(limiter, new Registry())).toThrow(expect.objectContaining(register));
    expect(add(limiter, null as never)).toThrow('the options of instrument must be an object');
  });

  it('the same limit twice, and two limits of the same name, in one registry', async () => {
    const { register, limiter } = limited();
    const duplicate = { code: 'ERR_HEADGATE_DUPLICATE_NAME', option: 'limit' };
    instrument(limiter, { register });
    expect(add(limiter, { register })).toThrow(expect.objectContaining(duplicate));
    expect(add(limited().limiter, { register })).toThrow('a limit "app" is measured here already');
    const gate = createGate({
      limits: [
        { name: 'user', limit: 1 },
        { name: 'app', limit: 1 },
      ],
    });
    expect(add(gate, { register })).toThrow('a limit "app" is measured here already');
    expect(add([gate, gate], { register: new Registry() })).toThrow('a limit "user+app"');
    instrument(limiter, { register: new Registry() });
    expect(Object.keys(await scrape(register)).join()).not.toContain('user');
  });
});
