import { type Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import { SlowClients } from '../src/http/slow-clients.ts';
import { adaptive, createLimiter, type LimitFactory, type Permit } from '../src/index.ts';
import type { BasePermit } from '../src/semaphore/permit.ts';

const held = ({ permit }: Caller) => permit as BasePermit;
const isHeld = ({ permit }: Caller) => permit !== undefined;

it('a permit that no longer counts makes room, although it is held until its release', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const [stream, next] = [call(limiter), call(limiter)];
  held(stream).stopCounting();
  expect(next.permit).toBeDefined();
  expect([limiter.inflight, limiter.holders]).toEqual([1, 2]);
  held(stream).adjust(3);
  held(stream).stopCounting();
  expect(limiter.inflight).toBe(1);
  next.permit?.release();
  const closed = limiter.close();
  held(stream).release();
  expect(await closed).toBe(0);
  held(stream).stopCounting();
  expect([limiter.inflight, limiter.holders]).toEqual([0, 0]);
});

it('an adaptive limit samples the time until a permit stops counting, minus half of the interval between checks', () => {
  const clock = new VirtualClock();
  const rtts: number[] = [];
  const sample = ({ rtt }: { rtt: number }) => void rtts.push(rtt);
  const limiter = createLimiter({ limit: { create: () => ({ limit: 8, sample }) }, clock });
  for (const maxDelay of [undefined, 100, 101, Infinity]) {
    const stream = call(limiter);
    clock.advance(200);
    held(stream).stopCounting('ok', maxDelay);
    stream.permit?.release();
  }
  expect(rtts).toEqual([200, 150]);
});

it('a paused permit does not count until it is resumed, even if that exceeds the limit', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const [upload, next, last] = [call(limiter), call(limiter), call(limiter)];
  held(upload).pauseCounting();
  held(upload).pauseCounting();
  expect([isHeld(next), isHeld(last)]).toEqual([true, false]);
  held(upload).adjust(3);
  expect([limiter.inflight, limiter.holders]).toEqual([1, 2]);
  held(upload).countAgain();
  held(upload).countAgain();
  expect(limiter.inflight).toBe(4);
  next.permit?.release();
  expect(isHeld(last)).toBe(false);
  upload.permit?.release();
  expect(isHeld(last)).toBe(true);
  held(last).pauseCounting();
  last.permit?.release();
  held(last).countAgain();
  expect([limiter.inflight, limiter.holders]).toEqual([0, 0]);
});

it('a paused permit that stops counting does not count again', () => {
  const limiter = createLimiter({ limit: 1 });
  const upload = call(limiter);
  held(upload).pauseCounting();
  held(upload).stopCounting();
  held(upload).countAgain();
  expect([limiter.inflight, limiter.holders]).toEqual([0, 1]);
  upload.permit?.release();
  expect([limiter.inflight, limiter.holders]).toEqual([0, 0]);
});

it('an adaptive limit samples only the time after a pause, and nothing for a permit released during the pause', () => {
  const clock = new VirtualClock();
  const rtts: number[] = [];
  const sample = ({ rtt }: { rtt: number }) => void rtts.push(rtt);
  const limiter = createLimiter({ limit: { create: () => ({ limit: 8, sample }) }, clock });
  const [one, other] = [call(limiter), call(limiter)];
  for (const upload of [one, other]) held(upload).pauseCounting();
  clock.advance(5000);
  held(one).countAgain();
  clock.advance(20);
  for (const upload of [one, other]) upload.permit?.release();
  expect(rtts).toEqual([20]);
});

/** A limit, and requests whose test sets when their body arrives and their response begins. */
function scene(limit: number | LimitFactory = 2) {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit, queueLimit: 9, clock });
  const clients = new SlowClients(limiter, clock);
  const outcomeOf = vi.fn(() => 'ok' as const);
  const admit = (caller: Pick<Caller, 'permit'> = call(limiter)) => {
    const whenBodyEnds = vi.fn<(callback: () => void) => void>();
    const exchange = { headersSent: false, awaitsBody: false, isQueued: false, whenBodyEnds };
    const request = {
      exchange,
      worksInside: false,
      permit: caller.permit as BasePermit,
      outcomeOf,
      older: undefined,
      newer: undefined,
    };
    clients.add(request);
    return { exchange, request };
  };
  return { clock, limiter, clients, outcomeOf, admit };
}

it('responses that have begun stop counting within 100 ms, or 10 ms while requests are queued', () => {
  const { clock, limiter, clients, admit } = scene();
  const [one, other] = [admit(), admit()];
  one.exchange.headersSent = true;
  clock.advance(99);
  expect(limiter.inflight).toBe(2);
  clock.advance(1);
  expect(limiter.inflight).toBe(1);
  admit();
  const waiting = call(limiter);
  clients.queued();
  clock.advance(10);
  expect(waiting.permit).toBeUndefined();
  other.exchange.headersSent = true;
  clock.advance(10);
  expect(waiting.permit).toBeDefined();
});

it('a request does not count while its body is arriving', () => {
  const { clock, limiter, admit } = scene();
  const [one, other] = [admit(), admit()];
  one.exchange.awaitsBody = true;
  clock.advance(100);
  expect(limiter.inflight).toBe(1);
  one.exchange.awaitsBody = false;
  clock.advance(100);
  expect(limiter.inflight).toBe(2);
  // The response may begin before the rest of the body has arrived.
  one.exchange.awaitsBody = true;
  clock.advance(100);
  one.exchange.headersSent = true;
  other.exchange.headersSent = true;
  clock.advance(100);
  expect([limiter.inflight, limiter.holders, clock.armed]).toEqual([0, 2, 0]);
});

it('an adaptive limit measures the work after an upload from the end of the body', () => {
  const rtts: number[] = [];
  const sample = ({ rtt }: { rtt: number }) => void rtts.push(rtt);
  const { clock, limiter, admit } = scene({ create: () => ({ limit: 8, sample }) });
  const { exchange, request } = admit();
  exchange.awaitsBody = true;
  clock.advance(330);
  exchange.awaitsBody = false;
  expect(exchange.whenBodyEnds).toHaveBeenCalledTimes(1);
  exchange.whenBodyEnds.mock.lastCall?.[0]();
  expect(limiter.inflight).toBe(1);
  clock.advance(120);
  request.permit.release();
  expect(rtts).toEqual([120]);
});

it('no timer runs once all responses have begun or ended', () => {
  const { clock, limiter, clients, admit } = scene();
  const [one, other] = [admit(), admit()];
  one.exchange.headersSent = true;
  clients.delete(other.request);
  other.request.permit.release();
  clock.advance(100);
  expect([limiter.inflight, clock.armed]).toEqual([0, 0]);
});

it('the checks pause even if a response never begins, and resume with the next request', () => {
  const { clock, limiter, admit } = scene();
  const { exchange } = admit();
  // Libraries of fake timers report an infinite loop after a thousand timers or more.
  let checks = 0;
  for (; clock.armed > 0 && checks < 1000; checks++) clock.advance(clock.due - clock.now());
  expect(checks).toBeLessThan(500);
  exchange.headersSent = true;
  admit();
  clock.advance(100);
  expect(limiter.inflight).toBe(1);
});

it('an adaptive limit measures the time until responses begin, however long they take to be sent', () => {
  const { clock, limiter, clients, outcomeOf, admit } = scene(adaptive({ min: 8, initial: 8 }));
  const exchanges: { headersSent: boolean }[] = [];
  const whenQueued = () => clients.queued();
  const onGranted = (permit: Permit) => void exchanges.push(admit({ permit }).exchange);
  // Forty requests arrive per second, of which the server can answer ten.
  for (let time = 0; time < 120_000; time += 25) {
    call(limiter, { whenQueued, onGranted, queueTimeout: 200 });
    const [next] = time % 100 === 0 ? exchanges.splice(0, 1) : [];
    if (next) next.headersSent = true;
    clock.advance(25);
  }
  expect(limiter.limit).toBeLessThan(50);
  expect(outcomeOf).toHaveBeenCalledWith(expect.objectContaining({ weight: 1 }));
});

it('an adaptive limit rises although every response is still being sent at each check', () => {
  const { clock, limiter, clients, admit } = scene(adaptive({ min: 4, initial: 8 }));
  const begin: { at: number; exchange: { headersSent: boolean } }[] = [];
  const whenQueued = () => clients.queued();
  const onGranted = (permit: Permit) =>
    void begin.push({ at: clock.now() + 200, exchange: admit({ permit }).exchange });
  // A hundred responses per second begin after 200 ms, so that 20 requests work at once.
  for (let time = 0; time < 20_000; time += 10) {
    while (begin[0] !== undefined && begin[0].at <= clock.now()) {
      const [next] = begin.splice(0, 1);
      if (next) next.exchange.headersSent = true;
    }
    call(limiter, { whenQueued, onGranted, queueTimeout: 200 });
    clock.advance(10);
  }
  const { limit, rejected } = limiter.stats();
  expect(limit).toBeGreaterThan(20);
  expect(rejected.full + rejected.timeout).toBeLessThan(100);
});
