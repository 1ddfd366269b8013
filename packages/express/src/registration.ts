import type { Application } from 'express';

/** The part of a layer of Express's router that is used. */
interface Layer {
  readonly handle: { readonly length: number; readonly stack?: unknown };
  readonly route?: unknown;
}

/**
 * Whether a middleware of the app is registered behind its routes and routers, and in front of nothing but error handlers:
 * then it only sees requests that no route has answered.
 */
export function isBehindRoutes(app: Application, middleware: unknown): boolean {
  const layers = layersOf(app);
  const index = layers.findIndex(({ handle }) => handle === middleware);
  const isHandlingErrors = ({ handle }: Layer) => handle.length > 3;
  const isRouting = ({ route, handle }: Layer) => route !== undefined || handle.stack !== undefined;
  // Not found if it is registered in a router.
  if (index < 0) return false;
  return layers.slice(0, index).some(isRouting) && layers.slice(index + 1).every(isHandlingErrors);
}

/** Express 5 has `router`, whose getter throws in Express 4, which has `_router` once it has a middleware. */
function layersOf(app: Application): readonly Layer[] {
  try {
    const { _router: old } = app as { _router?: { stack?: readonly Layer[] } };
    return (old ?? (app.router as { stack?: readonly Layer[] } | undefined))?.stack ?? [];
  } catch {
    return [];
  }
}
