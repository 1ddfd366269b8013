import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Limiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import type { Tell } from '@headgate/test-servers/processes';
import type { Response } from 'express';

/** A server whose handlers begin a response, and end it on command. */
export function concurrencyApp(limiter: Limiter, tell: Tell) {
  const open = new Map<number, Response>();
  let server: Server | undefined;
  const listen = async () => {
    // Few tests need it, and loading it takes a fifth of a process's start.
    const { default: express } = await import('express');
    const app = express();
    app.get('/:id', concurrencyLimit({ limiter }), (req, res) => {
      const id = Number(req.params.id);
      const { admission } = res.locals;
      open.set(id, res);
      admission.permit?.signal.addEventListener('abort', () => tell({ kind: 'aborted', id }));
      res.write('begun\n');
      tell({ kind: 'begun', id });
    });
    server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  };
  const close = () => {
    server?.close();
    server?.closeAllConnections();
  };
  return { listen, close, finish: (id: number) => void open.get(id)?.end('done\n') };
}
