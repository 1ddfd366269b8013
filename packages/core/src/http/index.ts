export type { Answer } from './answer.ts';
export { type Ending, Exchange } from './exchange.ts';
export type { Fields } from './fields.ts';
export type { Framework } from './framework.ts';
export {
  type Admission,
  type GatedRequest,
  type GatedRequestSettings,
  unlimited,
} from './gated-request.ts';
export { type Handle, withHandle } from './handle.ts';
export { HttpGate, type HttpStats } from './http-gate.ts';
export { misplaced } from './misplaced.ts';
export { NodeExchange } from './node-exchange.ts';
export type { NodeRequest, NodeResponse } from './node-message.ts';
export type { CommonOptions, HttpOptions, LimitOptions } from './options.ts';
export { reasonOf, withReason } from './reason.ts';
export { type Compile, compileWith, type Routing } from './route.ts';
