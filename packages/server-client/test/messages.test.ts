import type { StoreError, StoreListener } from '@headgate/store-kit';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { refused, unreachable } from '../src/failure.ts';
import { Messages } from '../src/store/messages.ts';
import type { StreamReceiver } from '../src/stream.ts';

const timeout = 1_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** The messages of a scripted service, and what its listener hears of them. */
function scripted() {
  const heard: string[] = [];
  const receivers: StreamReceiver[] = [];
  const listener: StoreListener = {
    grant: ({ id }) => void heard.push(`grant ${id}`),
    recall: ({ name }) => void heard.push(`recall ${name}`),
    check: () => void heard.push('check'),
    state: (up) => void heard.push(up ? 'up' : 'down'),
    muted: (error?: StoreError) => void heard.push(error === undefined ? 'heard again' : 'muted'),
    isActive: true,
    isWaiting: false,
  };
  const stream = (_: string, receiver: StreamReceiver) => {
    receivers.push(receiver);
    return { close: () => {}, keepAlive: () => {} };
  };
  const messages = new Messages({
    ...{ streams: { stream }, owner: 'owner', timeout },
    listener: () => listener,
  });
  onTestFinished(() => messages.close());
  messages.open();
  const current = () => receivers.at(-1) as StreamReceiver;
  return { heard, receivers, current };
}

it.each([
  ['cannot be reached', unreachable(new Error('ECONNREFUSED')), 'down', 'up'],
  ['refuses the stream', refused('no'), 'muted', 'heard again'],
])(
  'a service that %s is reported after the timeout of a call, and when it is back',
  async (_, error, bad, good) => {
    const { heard, receivers, current } = scripted();
    const fail = async (until: number) => {
      while (performance.now() < until) {
        const { length } = receivers;
        current().ended(error);
        while (receivers.length === length) await vi.advanceTimersByTimeAsync(10);
      }
    };
    const start = performance.now();
    current().text('{"check":true}\n');
    await fail(start + 0.5 * timeout);
    expect(heard).toEqual(['check']);
    await fail(start + 3 * timeout);
    expect(heard).toEqual(['check', bad]);
    current().text('{"check":true}\n');
    expect(heard).toEqual(['check', bad, good, 'check']);
  },
);

it('a stream without a line for the timeout of a call is opened again', async () => {
  const { receivers, current } = scripted();
  current().text('{"check":true}\n');
  await vi.advanceTimersByTimeAsync(0.9 * timeout);
  current().text('\n');
  await vi.advanceTimersByTimeAsync(0.9 * timeout);
  expect(receivers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(0.2 * timeout);
  expect(receivers).toHaveLength(2);
});
