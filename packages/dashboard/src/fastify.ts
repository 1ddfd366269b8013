import { pathOf } from '@headgate/core/http';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Page } from './dashboard.ts';
import { nodeRequest, sendNode } from './node-response.ts';
import type { DashboardHandle, DashboardOptions as Options } from './options.ts';
import { locate, type PageResponse } from './page-request.ts';

/** Options of `dashboard`. */
export type DashboardOptions = Options<FastifyRequest>;

/** A Fastify plugin that serves the page. */
export type Dashboard = FastifyPluginAsync & DashboardHandle;

/** The limits of the app must not reject the page that shows them. */
const config: object = { concurrencyLimit: false };

/**
 * Serves a live page of these limits: `app.register(dashboard({ limits }), { prefix: '/admin/limits' })`.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function dashboard(options: DashboardOptions): Dashboard {
  const page = new Page(options);
  const plugin = async (instance: FastifyInstance) => {
    // The prefix may end with a slash, which does not count as a segment.
    const depth = instance.prefix.replace(/\/$/, '').split('/').length - 1;
    // `Page` reads the bodies itself, so Fastify must not consume them.
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const target = locate(pathOf(request.url), depth);
      const response = await page.respond(
        { ...nodeRequest(request.raw, undefined), ...target },
        request,
      );
      return send(reply, response);
    };
    instance.all('/', { config }, handler);
    instance.all('/*', { config }, handler);
  };
  return Object.assign(plugin, { close: () => page.close() });
}

function send(reply: FastifyReply, response: PageResponse): FastifyReply {
  const { status, headers, body } = response;
  if (typeof body === 'string') return reply.code(status).headers(headers).send(body);
  // Sent without Fastify, since a stream of events has its own end. Hooks of the app may have set header fields before.
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.hijack();
  sendNode(reply.raw, response);
  return reply;
}
