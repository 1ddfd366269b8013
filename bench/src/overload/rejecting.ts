import type { RequestHandler } from 'express';
import type { App, Host } from '../hosts/host.ts';
import { expressQueue, overloadProtection, toobusy } from './libraries.ts';
import { underPressure } from './under-pressure.ts';

/** The name of the bare handler's 503. */
export const bare = 'bare 503';

/** The rejection of the limit in front of the app. */
export const inFront = 'headgate in front, by its limit';

type Rejecting = (host: Host) => Promise<Omit<App<unknown>, 'handle'>>;

/** What rejects all requests once an unanswered request holds the only permit, in any framework. */
const ofAnyHost: Record<string, Rejecting> = {
  [bare]: async ({ refuse }) => ({ middleware: refuse }),
  'headgate, by its limit': async (host) => ({
    middleware: (await host.limit({ limit: 1 })).middleware,
  }),
  [inFront]: async () => {
    const { concurrencyLimit } = await import('@headgate/node');
    return { inFront: concurrencyLimit({ limit: 1 }) };
  },
};

const ofExpress: Record<string, () => Promise<RequestHandler> | RequestHandler> = {
  'express-queue': () => expressQueue(1, 0),
  // No timer fires that fast.
  'overload-protection': () =>
    overloadProtection({ sampleInterval: 0.001, maxEventLoopDelay: 1e-9 }),
  'toobusy-js': () => {
    // With a clock that runs a thousand times too fast, its timer is always late.
    const { now } = Date;
    Date.now = () => now() * 1_000;
    return toobusy();
  },
  'under-pressure': () => underPressure({ maxEventLoopDelay: -1, maxEventLoopUtilization: 1 }),
};

export const rejecting: Record<string, Rejecting> = {
  ...ofAnyHost,
  ...Object.fromEntries(
    Object.entries(ofExpress).map(([name, create]): [string, Rejecting] => [
      name,
      async () => ({ middleware: await create() }),
    ]),
  ),
};

export const rejectingIn = (host: string): string[] =>
  Object.keys(host === 'express' ? rejecting : ofAnyHost);
