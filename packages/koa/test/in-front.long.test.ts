import { inFrontSuite, inFrontTopics } from '@headgate/test-kit/in-front';
import Koa, { type Middleware } from 'koa';
import { koaFramework } from './framework.ts';

inFrontSuite(koaFramework('Koa 3', Koa), {
  inside: (limit): Middleware => {
    return (ctx, next) => limit(() => next())(ctx.req, ctx.res) as Promise<void>;
  },
  needsInnerLimit: true,
  topics: inFrontTopics,
});
