export type { Answer } from './answer.ts';
export { Client, type Ending } from './client.ts';
export type { Framework } from './framework.ts';
export { type Handle, withHandle } from './handle.ts';
export { HttpGate, type HttpStats } from './http-gate.ts';
export { NodeClient, type NodeRequest, type NodeResponse } from './node-client.ts';
export type { CommonOptions, HttpOptions, LimitOptions } from './options.ts';
export type { Compile, Routing } from './route.ts';
export { type Admission, unlimited, type Visit } from './visit.ts';
