export type { Listener } from './http/listen.ts';
export type { ListenOptions } from './http/listen-options.ts';
export type { Log } from './log.ts';
export type { SemaphoreOptions, SemaphoresOptions } from './semaphores.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
