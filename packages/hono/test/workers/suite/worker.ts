import type { ConcurrencyLimit } from '@headgate/hono';
import { adapterSuite, type FrameworkDriver, type Step } from '@headgate/test-suite';
import { Hono } from 'hono';
import { honoApp, honoLimit } from '../../suite-app.ts';
import { appAt, type Incoming } from './http.ts';
import { run, tests } from './vitest.ts';

const framework: FrameworkDriver<ConcurrencyLimit> = {
  name: 'Hono',
  can: { tracksHandlers: true, http2: false },

  // Workers require `maxHold`.
  limit: (options) => honoLimit({ maxHold: 600_000, ...options }),

  listener({ steps, onError }) {
    const app = honoApp({ steps: kept(steps), onError }, Hono);
    const listener = ({ request }: Incoming, context: never) => app.fetch(request, {}, context);
    return listener as never;
  },
};

/** The test settles what a handler awaits, and meanwhile the runtime would consider its request hung. */
function kept(steps: readonly Step<ConcurrencyLimit>[]): Step<ConcurrencyLimit>[] {
  return steps.map((step) => {
    if ('use' in step) return step;
    if ('mount' in step) return { ...step, steps: kept(step.steps) };
    return { ...step, handle: (context) => keepingAlive(async () => step.handle(context)) };
  });
}

async function keepingAlive<T>(work: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 100);
  try {
    return await work();
  } finally {
    clearInterval(alive);
  }
}

/** Runs the test that the path names; lists all of them at the root. */
async function runTests(request: Request): Promise<Response> {
  if (tests.length === 0) adapterSuite(framework);
  const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
  if (name === '') return Response.json(tests.map((test) => test.name));
  const test = tests.find((one) => one.name === name);
  try {
    if (test === undefined) throw new Error('there is no such test');
    await keepingAlive(() => run(test));
    return new Response('passed');
  } catch (error) {
    return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

export default {
  async fetch(request: Request, _: unknown, context: never): Promise<Response> {
    const { port } = new URL(request.url);
    const app = appAt(Number(port));
    if (app === undefined) return runTests(request);
    return app({ request, headers: Object.fromEntries(request.headers) }, context);
  },
};
