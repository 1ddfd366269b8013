import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createServer } from '@headgate/server';
import { bundle, createCertificate } from '@headgate/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { useServer } from './use-server.ts';

const certificate = await createCertificate();
const service = useServer({ A: 1 });
const { connect, acquired, peers } = service;

test('the service is reachable over a unix socket', async () => {
  const path = join(tmpdir(), `headgate-${randomUUID()}.sock`);
  await service.server.listen({ socket: path });
  await using lock = await connect({ url: `unix:${path}` }).lock('A');
  expect(lock.count).toBe(1);
  expect(await acquired('A')).toBe(1);
});

test('the service is reachable under a path prefix', async () => {
  const { port } = service;
  const front = http.createServer((request, response) => {
    const path = (request.url as string).replace('/locks/', '/');
    const { method, headers } = request;
    const through = http.request({ port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(response);
    });
    request.pipe(through);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  const { port: own } = front.address() as { port: number };
  await using lock = await connect({ url: `http://127.0.0.1:${own}/locks/` }).lock('A');
  expect(lock.count).toBe(1);
  expect(await acquired('A')).toBe(1);
});

test('the service is reachable over HTTPS with a trusted certificate', async () => {
  const { url } = await service.server.listen({ port: 0, tls: certificate });
  const file = join(tmpdir(), `headgate-${randomUUID()}.pem`);
  await writeFile(file, certificate.cert);
  onTestFinished(() => rm(file));
  const program = await bundle(new URL('./locks-once.ts', import.meta.url));
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: file };
  const { stdout } = await promisify(execFile)(process.execPath, [program, url], { env });
  expect(stdout).toBe('held\n');
  expect(await peers()).toBe(0);
  await expect(connect({ url }).lock('A', { timeout: 0 })).rejects.toMatchObject({
    code: 'ERR_HEADGATE_STORE_DOWN',
    cause: { code: expect.stringMatching(/CERT/) },
  });
});

test('the service may require a token', async () => {
  const closed = createServer({ semaphores: { A: 1 }, token: 'a-secret' });
  const { url } = await closed.listen({ port: 0 });
  onTestFinished(() => closed.close());
  await using lock = await connect({ url, token: 'a-secret' }).lock('A');
  expect(lock.count).toBe(1);
  await expect(connect({ url, token: 'another' }).lock('A')).rejects.toMatchObject({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: expect.stringContaining('401'),
  });
});
