import type { Host, LimitOptions } from '../hosts/host.ts';
import { answer, type LimitedSituation, type Serve, type Situation } from './situation.ts';

type Create<Middleware> = (situation: LimitedSituation) => Middleware | Promise<Middleware>;

/** Makes cases from the middlewares of a framework. */
export const serving =
  <Middleware, Request>(host: Host<Middleware, Request>) =>
  (create?: Create<Middleware>): Serve =>
  async (situation) =>
    host.listen({
      middleware: await create?.(situation as LimitedSituation),
      handle: handlerOf(situation),
    });

/** The cases of every framework: without a limit, and with Headgate in each of its places. */
export function commonCases<Middleware, Request>(
  host: Host<Middleware, Request>,
): Record<string, Serve> {
  const serve = serving(host);
  return {
    bare: serve(),
    headgate: serve(async (situation) => (await host.limit(optionsOf(situation))).middleware),
    'headgate in front': async (situation) => {
      const { concurrencyLimit } = await import('@headgate/node');
      const inFront = concurrencyLimit(optionsOf(situation));
      return host.listen({ inFront, handle: handlerOf(situation) });
    },
    // As with `--import`, before there is a server.
    'headgate by the hook': async (situation) => {
      process.env.HEADGATE = JSON.stringify(optionsOf(situation));
      // Its line at the start would be repeated for each process.
      console.error = () => {};
      await import('@headgate/node/register');
      return host.listen({ handle: handlerOf(situation) });
    },
  };
}

export function optionsOf({
  limit,
  queueLimit,
}: Situation): Pick<LimitOptions<never>, 'limit' | 'queueLimit'> {
  return { limit, queueLimit };
}

function handlerOf({ takesATurn }: Situation): () => unknown {
  if (!takesATurn) return () => answer;
  return () => new Promise((resolve) => setImmediate(resolve, answer));
}
