export type { Listener, ListenOptions } from './http/listen.ts';
export type { Log } from './log.ts';
export type { SemaphoreOptions, SemaphoresOptions } from './semaphores.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
