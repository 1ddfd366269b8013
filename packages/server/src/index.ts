export type { Listener } from './http/listen.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
