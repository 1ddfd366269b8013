import { createServer, type Server, type ServerOptions } from '@headgate/server';
import { type LockClientOptions, lockClient } from '@headgate/server-client';
import { beforeEach, onTestFinished } from 'vitest';

/** A service in this process, new for each test of a file, with its clients and its figures. */
export function useServer(semaphores: ServerOptions['semaphores']) {
  const service = {
    server: undefined as unknown as Server,
    url: '',
    port: 0,
    connect(options: Partial<LockClientOptions> = {}) {
      const client = lockClient({ url: service.url, ...options });
      onTestFinished(() => client.close());
      return client;
    },
    /** Restarts it on the same port without its state. */
    async restart(): Promise<void> {
      await service.server.close();
      await start(service.port);
    },
    async ask(path: string): Promise<string> {
      return (await fetch(`${service.url}${path}`)).text();
    },
    async figure(metric: string, semaphore: string): Promise<number> {
      const lines = (await service.ask('/metrics')).split('\n');
      const line = lines.find((one) => one.startsWith(`${metric}{semaphore="${semaphore}"}`));
      return Number(line?.split(' ').at(-1));
    },
    acquired: (semaphore: string) => service.figure('throttle_acquired', semaphore),
    pending: (semaphore: string) => service.figure('throttle_pending', semaphore),
    peers: async (): Promise<number> => JSON.parse(await service.ask('/peers/')).length,
  };

  async function start(port = 0): Promise<void> {
    service.server = createServer({ semaphores });
    service.url = (await service.server.listen({ port })).url;
    service.port = Number(new URL(service.url).port);
  }

  beforeEach(async () => {
    await start();
    onTestFinished(() => service.server.close());
  });
  return service;
}
