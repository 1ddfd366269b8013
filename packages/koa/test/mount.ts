import type { Middleware } from 'koa';

/** Mounts middleware as koa-mount does. */
export function mount(prefix: string, inner: Middleware): Middleware {
  return async (ctx, next) => {
    const outside = ctx.path;
    const inside = outside.replace(prefix, '') || '/';
    if (!outside.startsWith(prefix) || inside[0] !== '/') return next();
    ctx.mountPath = prefix;
    ctx.path = inside;
    await inner(ctx, async () => {
      ctx.path = outside;
      await next();
      ctx.path = inside;
    });
    ctx.path = outside;
  };
}
