import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { HeadgateError } from '@headgate/core';
import { pathOf } from '@headgate/core/http';
import { checkCount, checkNames, checkText } from '@headgate/core/options';
import type { ConcurrencyLimit } from '../index.ts';
import type { Message } from '../message.ts';

/** A server of its own for the dashboard and the metrics. */
export interface AdminOptions {
  /** Its port. 0: any free port, which is printed. */
  readonly port: number;
  /** Its address. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
}

/** Starts the server. It keeps no process alive, and what it cannot listen to is only reported. */
export type StartAdmin = (limit: ConcurrencyLimit<Message>) => Server;

/**
 * Loads what the server shows from the packages of the app: the dashboard of `@headgate/dashboard` at `/limits/`, and
 * the metrics of `@headgate/prometheus` at `/metrics`.
 *
 * @throws HeadgateError for an invalid option, and if neither package is installed.
 */
export function prepareAdmin(options: AdminOptions): StartAdmin {
  checkNames('admin', options, ['port', 'host']);
  const port = checkCount('admin.port', options.port, 0);
  const host = checkText('admin.host', options.host ?? '127.0.0.1');
  const packages = [loadMetrics(), loadDashboard()].filter((each) => each !== undefined);
  if (packages.length === 0) {
    const message =
      'admin needs @headgate/dashboard, or @headgate/prometheus and prom-client, and neither is installed';
    throw new HeadgateError('ERR_HEADGATE_OPTION', message, 'admin');
  }
  return (limit) => {
    const listener = packages.reduceRight((next, around) => around(limit, next), notFound);
    const server = createServer(listener);
    server.on('error', (error) =>
      console.error(`headgate: the admin server failed: ${error.message}`),
    );
    server.once('listening', () => {
      const { address, port } = server.address() as AddressInfo;
      console.error(
        `headgate: admin server: http://${isIPv6(address) ? `[${address}]` : address}:${port}/`,
      );
    });
    return server.listen(port, host).unref();
  };
}

type Around = (limit: ConcurrencyLimit<Message>, next: RequestListener) => RequestListener;

const notFound: RequestListener = (_req, res) => {
  res.writeHead(404).end();
};

function loadMetrics(): Around | undefined {
  const prometheus = installed<typeof import('@headgate/prometheus')>('@headgate/prometheus');
  const client = installed<typeof import('prom-client')>('prom-client');
  if (prometheus === undefined || client === undefined) return undefined;
  return (limit, next) => {
    // A registry of its own: the app may already export the same names from the global one.
    const register = new client.Registry();
    prometheus.instrument(limit, { register });
    return (req, res) => {
      if (pathOf(req.url ?? '') !== '/metrics') return next(req, res);
      register.metrics().then(
        (text) => res.setHeader('Content-Type', register.contentType).end(text),
        (error) => res.writeHead(500).end(String(error)),
      );
    };
  };
}

function loadDashboard(): Around | undefined {
  const page = installed<typeof import('@headgate/dashboard/node')>('@headgate/dashboard/node');
  if (page === undefined) return undefined;
  return (limit, next) =>
    page.dashboard({ path: '/limits', limits: [limit] })(next) as RequestListener;
}

/** A package of the app, which need not be one of this package. */
function installed<T>(name: string): T | undefined {
  const require = createRequire(join(process.cwd(), 'headgate.config.js'));
  try {
    return require(name) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
