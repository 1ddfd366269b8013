import type { Application } from 'express';

/** The properties of a layer of Express's router that are used here. */
interface Layer {
  readonly handle: { readonly length: number; readonly stack?: unknown };
  readonly route?: unknown;
}

/**
 * Whether a middleware of the app is registered behind the app's routes and routers, with nothing but error handlers
 * after it. It then receives only requests that no route has answered.
 */
export function isBehindRoutes(app: Application, middleware: unknown): boolean {
  const layers = layersOf(app);
  const index = layers.findIndex(({ handle }) => handle === middleware);
  const isHandlingErrors = ({ handle }: Layer) => handle.length > 3;
  const isRouting = ({ route, handle }: Layer) => route !== undefined || handle.stack !== undefined;
  // The middleware is not found here if it is registered in a router.
  if (index < 0) return false;
  return layers.slice(0, index).some(isRouting) && layers.slice(index + 1).every(isHandlingErrors);
}

/**
 * In Express 5 the property is `router`. In Express 4 that getter throws, and the property is `_router`, which exists
 * once the app has a middleware.
 */
function layersOf(app: Application): readonly Layer[] {
  try {
    const { _router: old } = app as { _router?: { stack?: readonly Layer[] } };
    return (old ?? (app.router as { stack?: readonly Layer[] } | undefined))?.stack ?? [];
  } catch {
    return [];
  }
}
