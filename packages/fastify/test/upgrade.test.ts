import { once } from 'node:events';
import http, { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { counts, VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
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
      // As @fastify/websocket does it: the router gets a response that is never written.
      app.server.on('upgrade', (request, socket: Socket) => {
        const response = new ServerResponse(request);
        response.assignSocket(socket);
        socket.resume().on('end', () => socket.destroy());
        app.routing(request, response);
      });
      await app.listen({ port: 0, host: '127.0.0.1' });
      world.later(() => app.close());
      const { port } = app.server.address() as AddressInfo;
      const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
      const request = http.get({ host: '127.0.0.1', port, headers });
      const [, socket] = (await once(request, 'upgrade')) as [unknown, Socket];
      await counts(limit, 1);
      clock.advance(100);
      expect(limit.stats().limits[0]).toMatchObject({ inflight: counted });
      socket.end();
      await counts(limit, 0);
    },
  );
});
