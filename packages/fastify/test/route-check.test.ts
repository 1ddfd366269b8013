import { channel } from 'node:diagnostics_channel';
import { concurrencyLimit } from '@headgate/fastify';
import { collectWarnings } from '@headgate/test-suite/kit';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { versions } from './apps.ts';

const reports = concurrencyLimit({ name: 'reports', limit: 1 });
const config = { concurrencyLimit: reports };
const ok = async () => 'ok';

/** Where a limit is registered that does not apply to `/reports`. */
const elsewhere: [string, (app: FastifyInstance) => void][] = [
  ['no limit is registered', (app) => void app.get('/reports', { config }, ok)],
  [
    'the limit is registered with another instance',
    (app) => {
      app.register(async (scope) => void (await scope.register(concurrencyLimit())));
      app.register(async (scope) => void scope.get('/reports', { config }, ok));
    },
  ],
  [
    'the limit is registered with an instance within',
    (app) => {
      app.get('/reports', { config }, ok);
      app.register(async (scope) => void (await scope.register(concurrencyLimit())));
    },
  ],
];

/** Where it does apply. */
const around: [string, (app: FastifyInstance) => void][] = [
  [
    'later, with the same instance',
    (app) => {
      app.get('/reports', { config }, ok);
      app.register(concurrencyLimit());
    },
  ],
  [
    'later, with the instance around that of the route',
    (app) => {
      app.register(async (scope) => void scope.get('/reports', { config }, ok));
      app.register(concurrencyLimit());
    },
  ],
  [
    'by another plugin of the same instance',
    (app) => {
      const plugin = async (instance: FastifyInstance) => {
        await instance.register(concurrencyLimit());
      };
      app.register(Object.assign(plugin, { [Symbol.for('skip-override')]: true }));
      app.get('/reports', { config }, ok);
    },
  ],
];

describe.each(versions)('the routes of %s are checked when the app starts', (_, create) => {
  it.each(elsewhere)('a limit in a configuration is an error if %s', async (_case, build) => {
    const app = create();
    build(app);
    await expect(app.ready()).rejects.toMatchObject({
      code: 'ERR_HEADGATE_MIDDLEWARE',
      option: 'config.concurrencyLimit',
      message: expect.stringContaining('config.concurrencyLimit of GET /reports has no effect'),
    });
  });

  it.each(around)(
    'a limit in a configuration applies if one is registered %s',
    async (_case, build) => {
      const app = create();
      onTestFinished(() => app.close());
      build(app);
      await app.ready();
      const before = reports.stats().admitted;
      expect(await app.inject('/reports')).toMatchObject({ statusCode: 200 });
      expect(reports.stats().admitted).toBe(before + 1);
    },
  );

  it('a configuration without a limit needs none', async () => {
    const app = create();
    onTestFinished(() => app.close());
    app.get('/health', { config: { concurrencyLimit: false } }, ok);
    app.get('/', { config: { concurrencyLimit: undefined } }, ok);
    app.get('/null', { config: null as never }, ok);
    app.get('/own', { config: { concurrency: 5, limit: 1 } as object }, ok);
    await app.ready();
    expect(await app.inject('/health')).toMatchObject({ statusCode: 200 });
  });

  it.each(['concurencyLimit', 'concurrencylimit', 'concurrencyLimits'])(
    'a field whose name looks like a misspelling causes one warning: %s',
    async (name) => {
      const warnings = collectWarnings('HEADGATE_ROUTE_CONFIG');
      for (const value of [{ max: 5 }, 5, true, null, 'tenant', undefined]) {
        const app = create();
        onTestFinished(() => app.close());
        app.get('/', { config: { [name]: value } as object }, ok);
        expect(await app.inject('/')).toMatchObject({ statusCode: 200 });
      }
      expect(warnings).toEqual([]);
      for (const value of [reports, false]) {
        const app = create();
        onTestFinished(() => app.close());
        app.get('/', { config: { [name]: value } as object }, ok);
        expect(await app.inject('/')).toMatchObject({ statusCode: 200 });
      }
      const text = `config.${name} of a route is no field of @headgate/fastify, and has no effect there; did you mean "concurrencyLimit"?`;
      expect(warnings).toEqual([expect.stringContaining(text)]);
    },
  );

  it('options instead of a limit are an error, even where no limit is registered', () => {
    const add = () =>
      create().get('/', { config: { concurrencyLimit: { limit: 1 } as never } }, ok);
    expect(add).toThrow(expect.objectContaining({ option: 'config.concurrencyLimit' }));
  });

  it('the plugin checks the routes of an app that was created before the adapter was loaded', async () => {
    const publish = vi.spyOn(channel('fastify.initialization'), 'publish').mockReturnValue();
    const app = create();
    expect(publish).toHaveBeenCalledTimes(1);
    publish.mockRestore();
    await app.register(concurrencyLimit());
    const add = () => app.get('/', { config: { concurrencyLimit: 5 as never } }, ok);
    expect(add).toThrow(expect.objectContaining({ option: 'config.concurrencyLimit' }));
  });
});
