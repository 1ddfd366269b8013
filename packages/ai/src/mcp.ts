export { jsonRpcError } from './json-rpc.ts';
export { limitTool } from './limit-tool.ts';
