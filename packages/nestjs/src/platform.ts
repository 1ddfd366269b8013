import { type Admission, type fastifyRouting, NodeExchange } from '@headgate/core/http';
import type { ExecutionContext } from '@nestjs/common';

type NodeRequest = Parameters<typeof NodeExchange.of>[0];
type NodeResponse = Parameters<typeof NodeExchange.of>[1];

interface Connection extends NonNullable<NodeRequest['socket']> {
  readonly remoteAddress?: string;
}

/** The part of the requests of Express and Fastify that is used. */
export interface PlatformRequest {
  readonly method: string;
  readonly headers: NodeRequest['headers'];
  readonly socket?: Connection;
  /** Fastify: the request of Node. */
  readonly raw?: NodeRequest & { readonly url: string; readonly socket: Connection | null };
  /** Express. */
  readonly app?: { enabled(setting: string): boolean };
  /** Express: where the router is mounted. */
  readonly baseUrl?: string;
  /** Express: the path behind `baseUrl`. */
  readonly path?: string;
  /** Fastify. */
  readonly server?: Parameters<typeof fastifyRouting>[0];
  /** What handlers find. */
  admission?: Admission;
}

/** The part of their responses that is used. */
interface PlatformResponse {
  readonly raw?: NodeResponse;
  /** Express. */
  readonly locals?: object;
  getHeader(name: string): unknown;
  header(name: string, value: string): unknown;
}

export function requestOf(context: ExecutionContext): PlatformRequest {
  return context.switchToHttp().getRequest();
}

export function responseOf(context: ExecutionContext): PlatformResponse {
  return context.switchToHttp().getResponse();
}

/** The same exchange as that of middleware of the platform, if it is limited as well. */
export function exchangeOf(context: ExecutionContext): NodeExchange {
  const request = requestOf(context);
  const response = responseOf(context);
  const rawResponse = response.raw ?? (response as unknown as NodeResponse);
  const rawRequest = request.raw ?? (request as unknown as NodeRequest);
  return NodeExchange.of(rawRequest, rawResponse, response.locals ?? rawResponse);
}
