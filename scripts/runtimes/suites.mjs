// What runs on each runtime: the same test files that `npm test` runs from the sources.

/** Tests of the core that read its sources, or load them in another way than by an import. */
const ofSources = tests(
  'layers',
  'two-copies',
  'messages',
  'messages-of-entries',
  'messages-of-null',
  'runtime',
  'outside-request',
  'pacing/thread-event-loop',
);

function tests(...names) {
  return names.map((name) => `packages/core/test/${name}.test.ts`);
}

/**
 * @typedef {object} Suite
 * @property {string} package the packed package under test
 * @property {string} name
 * @property {readonly string[]} [files] patterns
 * @property {readonly string[]} [isolated] patterns of files that need modules and a process of their own
 * @property {readonly string[]} [except]
 * @property {readonly string[]} [on] names of the runtimes; default: all
 * @property {boolean} [ofSources] whether its tests import modules that no entry point exports, so that the sources run
 */

/** @type {readonly Suite[]} */
const suites = [
  {
    ...{ package: '@headgate/core', name: 'its tests', on: ['Node'], ofSources: true },
    ...{ files: ['packages/core/test/**/*.test.ts'], except: ofSources },
  },
  {
    ...{ package: '@headgate/core', name: 'its tests', on: ['Bun', 'Deno'], ofSources: true },
    files: ['packages/core/test/**/*.test.ts'],
    // What Node's hooks record of each timer and promise, these runtimes do not. Bun has no `gc`.
    except: [...ofSources, ...tests('background-context', 'shadow-memory')],
  },
  {
    ...{ package: '@headgate/store-kit', name: 'its tests', ofSources: true },
    files: ['packages/store-kit/test/**/*.test.ts'],
    except: ['layers', 'odd-stores'].map((name) => `packages/store-kit/test/${name}.test.ts`),
  },
  {
    ...{ package: '@headgate/express', name: 'adapter suite, Express 5' },
    files: ['packages/express/test/express-5.test.ts'],
  },
  {
    ...{ package: '@headgate/koa', name: 'adapter suite, Koa 3' },
    files: ['packages/koa/test/koa-3.test.ts'],
  },
  {
    ...{ package: '@headgate/hono', name: 'adapter suite, Hono 4, `@hono/node-server`' },
    ...{ files: ['packages/hono/test/hono-4.test.ts'], on: ['Node'] },
  },
  {
    ...{ package: '@headgate/hono', name: 'adapter suite, Hono 4, `Bun.serve` or `Deno.serve`' },
    files: [
      'packages/hono/test/own-server/suite.ts',
      'packages/hono/test/without-node{,-leaving,-others}.test.ts',
    ],
    on: ['Bun', 'Deno'],
  },
  {
    ...{ package: '@headgate/web', name: 'adapter suite, `@hono/node-server`' },
    // The tests of Hono replace Request and Response.
    ...{ isolated: ['packages/web/test/*.test.ts'], on: ['Node'] },
  },
  {
    ...{ package: '@headgate/web', name: 'adapter suite, `Bun.serve` or `Deno.serve`' },
    files: ['packages/web/test/own-server/suite.ts', 'packages/web/test/handlers.test.ts'],
    on: ['Bun', 'Deno'],
  },
  {
    ...{ package: '@headgate/redis', name: 'store suite' },
    isolated: ['packages/redis/test/contract.test.ts'],
  },
  {
    ...{ package: '@headgate/postgres', name: 'store suite' },
    isolated: ['packages/postgres/test/contract.test.ts'],
  },
];

/** The suites of a runtime. */
export const suitesOf = (runtime) =>
  suites.filter(({ on }) => on === undefined || on.includes(runtime.name));
