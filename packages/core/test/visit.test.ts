import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { Client } from '../src/http/client.ts';
import { NodeClient } from '../src/http/node-client.ts';
import { type Door, Visit } from '../src/http/visit.ts';
import { createGate, type Gate, systemClock } from '../src/index.ts';
import { collectWarnings } from './warnings.ts';

class QuietClient extends Client {
  gone = false;
  protected listen(): void {}
  whenTouched(): void {}
  rejected(): void {}
}

function doorOf(gate: Gate, onDisconnect: Door['onDisconnect']): Door {
  return { gate, guard: undefined, clock: systemClock, onDisconnect, abandonAfter: 1000 };
}

/** A request at a gate. */
function enter(gate: Gate, client: Client, onDisconnect: Door['onDisconnect'] = 'wait'): Visit {
  const takes = gate.limits.map(({ limiter }) => ({ limiter, weight: 1 }));
  const visit = new Visit(doorOf(gate, onDisconnect), client, takes);
  visit.enter(gate);
  return visit;
}

it('a permit that a disconnect releases says nothing of how the work went', () => {
  const released = vi.fn();
  const gate = createGate({ limits: [{ name: 'app', limit: 1 }], observer: { released } });
  const client = new QuietClient();
  enter(gate, client, 'release');
  client.ended('unanswered');
  expect(released).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ outcome: 'ignored' }));
  expect(gate.inflight).toBe(0);
});

it('a client that leaves the inner queue does not end the work of an outer handler', async () => {
  const [outer, inner] = ['outer', 'inner'].map((name) =>
    createGate({ limits: [{ name, limit: 1 }], queueLimit: 1 }),
  ) as [Gate, Gate];
  await inner.acquire();
  const warnings = collectWarnings();
  const client = new QuietClient();
  const first = enter(outer, client);
  let finish = () => {};
  const handler = new Promise<void>((resolve) => {
    finish = resolve;
  });
  first.during(handler);
  const second = enter(inner, client);
  client.gone = true;
  client.ended('truncated');
  expect([second.left, inner.queued, outer.inflight]).toEqual([true, 0, 1]);
  finish();
  await handler;
  expect(outer.inflight).toBe(0);
  expect(warnings).toEqual(['HEADGATE_NESTED_WAIT']);
});

/** What Node's request and response have in common for a client. */
function connection() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => {} });
  const methods = { writeHead: vi.fn(), write: vi.fn(), end: vi.fn() };
  const state = { headersSent: false, writableFinished: false, destroyed: false, errored: null };
  const response = Object.assign(new EventEmitter(), methods, { ...state, socket: null });
  const request = Object.assign(new EventEmitter(), {
    ...{ headers: {}, readableDidRead: false, readableEnded: false, complete: true },
    ...{ destroyed: false, errored: null, httpVersionMajor: 1, socket },
    ...{ pause: () => {}, resume: () => {} },
  });
  return { socket, response, client: NodeClient.of(request as never, response as never) };
}

it('a pipelined response that is over is not ended again when its connection closes', () => {
  const { socket, response, client } = connection();
  const ended = vi.fn();
  client.attend({ outer: undefined, ended } as never);
  response.emit('close');
  socket.emit('close');
  expect(ended).toHaveBeenCalledTimes(1);
});

it.each(['writeHead', 'write', 'end'] as const)(
  'a handler whose client has gone shows by %s that it still works',
  (method) => {
    const { response, client } = connection();
    const touched = vi.fn();
    const original = response[method];
    client.whenTouched(touched, systemClock, 60_000);
    expect(touched).not.toHaveBeenCalled();
    response[method]('text');
    expect(touched).toHaveBeenCalledTimes(1);
    expect(original).toHaveBeenCalledExactlyOnceWith('text');
  },
);
