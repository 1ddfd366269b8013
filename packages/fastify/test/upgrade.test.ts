import { once } from 'node:events';
import http, { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import { counts, VirtualClock } from '@headgate/test-suite';
import { describe, expect, it, vi } from 'vitest';
import { appsOfEachTest, versions } from './apps.ts';

describe.each(versions)('%s only', (name, create) => {
  const { world, limited } = appsOfEachTest(name, create);

  it.each([
    ['a fixed limit', { limit: 1 }, 1],
    ['the default limit, which does not count it', {}, 0],
  ])(
    'releases the permit of a WebSocket when its connection closes: %s',
    async (_, options, counted) => {
      const clock = new VirtualClock();
      const limit = limited({ ...options, clock });
      const app = create();
      await app.register(limit);
      app.get('/', (_request, reply) => {
        reply.hijack();
        reply.raw.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n');
        reply.raw.socket?.write('Connection: Upgrade\r\n\r\n');
      });
      routeUpgrades(app, (socket) => socket.resume().on('end', () => socket.destroy()));
      await app.listen({ port: 0, host: '127.0.0.1' });
      world.later(() => app.close());
      const request = upgrade(app);
      const [, socket] = (await once(request, 'upgrade')) as [unknown, Socket];
      await counts(limit, 1);
      clock.advance(100);
      expect(limit.stats().limits[0]).toMatchObject({ inflight: counted });
      socket.end();
      await counts(limit, 0);
    },
  );

  it('closes the connection of a rejected WebSocket', async () => {
    const limit = limited({ limit: 1, queueLimit: 0 });
    const app = create();
    await app.register(limit);
    routeUpgrades(app, () => {});
    await app.listen({ port: 0, host: '127.0.0.1' });
    world.later(() => app.close());
    const connections = promisify(app.server.getConnections.bind(app.server));
    const held = await limit.limiters.unnamed?.acquire();
    const [response] = (await once(upgrade(app), 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(503);
    await vi.waitFor(async () => expect(await connections()).toBe(0), 10_000);
    held?.release();
  });
});

type App = ReturnType<(typeof versions)[number][1]>;

/** As @fastify/websocket does it: the router gets a response, which is not written if the upgrade succeeds. */
function routeUpgrades(app: App, read: (socket: Socket) => void): void {
  app.server.on('upgrade', (request: http.IncomingMessage, socket: Socket) => {
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    read(socket);
    app.routing(request, response);
  });
}

function upgrade(app: App): http.ClientRequest {
  const { port } = app.server.address() as AddressInfo;
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  return http.get({ host: '127.0.0.1', port, headers });
}
