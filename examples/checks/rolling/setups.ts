import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bundle,
  freePort,
  type LoadBalancer,
  startHaproxy,
  startNginx,
} from '@headgate/test-servers';
import type { Clients } from './load.ts';

/** A proxy with its configuration from the examples, and the app behind it. */
export interface Setup {
  readonly name: string;
  readonly file: string;
  readonly port: number;
  readonly addresses: readonly (string | number)[];
  readonly clients: Clients;
  startProxy(): Promise<LoadBalancer>;
}

const express = new URL('../../express/drain.ts', import.meta.url);
const http2 = new URL('../../node/http2.ts', import.meta.url);

/** @param folder For the sockets of the app. */
export async function nginx(folder: string): Promise<Setup> {
  const port = await freePort();
  const configuration = await configured('nginx.conf', [
    ['listen 8080', `listen 127.0.0.1:${port}`],
    ['/run/app', folder],
    ['keepalive_timeout 5s', 'keepalive_timeout 500ms'],
  ]);
  return {
    name: 'nginx',
    file: await bundle(express),
    port,
    addresses: [1, 2, 3, 4].map((n) => join(folder, `${n}.sock`)),
    clients: { requests: 20, streams: 2 },
    startProxy: () => startNginx(configuration, port),
  };
}

export async function haproxy(): Promise<Setup> {
  return { ...(await behindHaproxy([])), name: 'HAProxy', file: await bundle(express) };
}

export async function haproxyToHttp2(): Promise<Setup> {
  const setup = await behindHaproxy([
    // A health check over HTTP/2 takes no longer than `inter`, whatever `timeout check` says.
    ['inter 100ms fall 2', 'proto h2 inter 500ms downinter 100ms fall 1'],
  ]);
  const clients = { requests: 20, streams: 0 };
  return { ...setup, name: 'HAProxy, HTTP/2', file: await bundle(http2), clients };
}

async function behindHaproxy(changes: readonly Change[]): Promise<Omit<Setup, 'name' | 'file'>> {
  const [port, ...addresses] = await Promise.all(Array.from({ length: 5 }, freePort));
  const configuration = await configured('haproxy.cfg', [
    ['bind :8080', `bind 127.0.0.1:${port}`],
    ['inter 1s', 'inter 100ms'],
    ...addresses.map((address, index): Change => [`:${3001 + index}`, `:${address}`]),
    ...changes,
  ]);
  return {
    port: port as number,
    addresses,
    clients: { requests: 20, streams: 2 },
    startProxy: () => startHaproxy(configuration, port as number),
  };
}

type Change = readonly [text: string, replacement: string];

/** An example's configuration with the addresses of this run, and the times divided by ten. */
async function configured(name: string, changes: readonly Change[]): Promise<string> {
  const text = await readFile(new URL(`../../proxies/${name}`, import.meta.url), 'utf8');
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`${name} does not contain "${from}"`);
    return changed.replaceAll(from, to);
  }, text);
}
