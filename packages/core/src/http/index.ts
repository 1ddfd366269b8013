export { type Rejection, sentence } from '../semaphore/rejection.ts';
export { warnOnce } from '../warning.ts';
export { type FastifyRouter, fastifyPath, fastifyRouting } from './fastify-router.ts';
export { type Framework, reasonOf, rejectionHandler } from './framework.ts';
export {
  type Admission,
  type Ending,
  Exchange,
  type GatedRequest,
  unlimited,
} from './gated-request.ts';
export { type Handle, withHandle } from './handle.ts';
export { HttpGate, type HttpStats } from './http-gate.ts';
export { isThenable } from './is-thenable.ts';
export { appendFields, type Fields } from './limit-fields.ts';
export { misplaced } from './misuse.ts';
export { NodeExchange } from './node-exchange.ts';
export type { NodeRequest, NodeResponse } from './node-message.ts';
export type { HttpOptions, LimitOptions, MiddlewareOptions } from './options.ts';
export { decodedPath, pathOf } from './path-of.ts';
export type { RejectionResponse } from './rejection-response.ts';
export { type Compile, compileWith, type Routing } from './route.ts';
export { routeKind } from './route-kind.ts';
