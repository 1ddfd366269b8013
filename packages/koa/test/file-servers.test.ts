import { fileServerSuite } from '@headgate/test-kit/file-server-suite';
import Koa from 'koa';
import send from 'koa-send';
import { koaFramework } from './framework.ts';

fileServerSuite(koaFramework('Koa 3', Koa), {
  'koa-send': (limit, root) => {
    const app = new Koa().use(limit);
    app.silent = true; // Koa reports responses that could not be sent
    app.use(async (ctx) => {
      await send(ctx, ctx.path, { root });
    });
    return app.callback();
  },
});
