import type { RequestListener } from 'node:http';
import type { ConcurrencyLimit } from '@headgate/node';
import { responses } from '@headgate/test-kit/node-limit';
import { adapterSuite, type FrameworkDriver } from '@headgate/test-suite';
import { afterAll, expect, it } from 'vitest';
import type { Message } from '../../src/message.ts';
import { limitServers } from '../../src/register/limited-servers.ts';
import { nodeFramework, respondTo } from '../framework.ts';

type Limit = ConcurrencyLimit<Message>;

/** What the servers with these listeners are limited by, although their listeners do not know. */
const limits = new WeakMap<RequestListener, Limit>();
const errors = new WeakMap<RequestListener, (error: unknown) => void>();

const listenerOf = (server: object) =>
  (server as { listeners(event: string): RequestListener[] }).listeners('request')[0];

/** Number of requests that the hook has limited, and of all others. */
const counts = { fromOutside: 0, inside: 0 };

const restore = limitServers({
  limitOf: (server) => limits.get(listenerOf(server) as RequestListener),
  onError: (error, req, res) => {
    const server = (req.socket as unknown as { server: object }).server;
    errors.get(listenerOf(server) as RequestListener)?.(error);
    respondTo(error, res as never);
  },
});
afterAll(restore);

/** Apps of `node:http` whose first limit is applied to their server instead of to their listener. */
const hookedFramework: FrameworkDriver<ConcurrencyLimit> = {
  ...nodeFramework,
  name: 'servers limited from outside',
  listener(app) {
    const [first, ...others] = app.steps;
    if (first === undefined || !('use' in first)) return nodeFramework.listener(app);
    const inner = nodeFramework.listener({ ...app, steps: others });
    // Some tests call the listener from one of their own, which the hook does not limit.
    const whole = nodeFramework.listener(app);
    const listener: RequestListener = (req, res) => {
      const isLimited = responses.has(req);
      counts[isLimited ? 'fromOutside' : 'inside']++;
      return (isLimited ? inner : whole)(req, res);
    };
    limits.set(listener, linking(first.use));
    errors.set(listener, app.onError);
    return listener;
  },
};

/** The limit; it also links requests to their responses for the suite. */
function linking(limit: ConcurrencyLimit): Limit {
  return ((handler) => {
    const limited = limit(handler as never);
    return (req, res) => {
      responses.set(req as never, res as never);
      return limited(req as never, res as never);
    };
  }) as Limit;
}

adapterSuite(hookedFramework);

it('the hook limits the requests of nearly all of these tests', () => {
  expect(counts.fromOutside).toBeGreaterThan(500);
  expect(counts.inside).toBeLessThan(30);
});
