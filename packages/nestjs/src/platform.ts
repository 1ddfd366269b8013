import { type Admission, type fastifyRouting, NodeExchange } from '@headgate/core/http';
import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';

type NodeRequest = Parameters<typeof NodeExchange.of>[0];
type NodeResponse = Parameters<typeof NodeExchange.of>[1];

interface Connection extends NonNullable<NodeRequest['socket']> {
  readonly remoteAddress?: string;
}

/** The properties of the requests of Express and Fastify that are used here. */
export interface PlatformRequest {
  readonly method: string;
  readonly headers: NodeRequest['headers'];
  readonly socket?: Connection;
  /** Fastify: the request of Node. */
  readonly raw?: NodeRequest & { readonly url: string; readonly socket: Connection | null };
  /** Express. */
  readonly app?: { enabled(setting: string): boolean };
  /** In Express: where the router is mounted. */
  readonly baseUrl?: string;
  /** Express: the path behind `baseUrl`. */
  readonly path?: string;
  /** Fastify. */
  readonly server?: Parameters<typeof fastifyRouting>[0];
  readonly ips?: readonly string[];
  /** What handlers find. */
  admission?: Admission;
}

/** The members of their responses that are used here. */
interface PlatformResponse {
  readonly raw?: NodeResponse;
  readonly headersSent?: boolean;
  /** Express. */
  readonly locals?: object;
  getHeader(name: string): unknown;
  header(name: string, value: string): unknown;
}

export function requestOf(context: ExecutionContext): PlatformRequest {
  return context.switchToHttp().getRequest();
}

export function responseOf(context: ArgumentsHost): PlatformResponse {
  return context.switchToHttp().getResponse();
}

/** Returns the same exchange as for middleware of the platform, which may be limited as well. */
export function exchangeOf(context: ExecutionContext): NodeExchange {
  const request = requestOf(context);
  const response = responseOf(context);
  const rawResponse = response.raw ?? (response as unknown as NodeResponse);
  const rawRequest = request.raw ?? (request as unknown as NodeRequest);
  return NodeExchange.of(rawRequest, rawResponse, response.locals ?? rawResponse);
}
