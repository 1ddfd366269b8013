import { LARGE_TENANT, SMALL_TENANTS } from '../model/calls.ts';
import { BACKOFF_MS } from '../model/run.ts';
import { MEAN_WORK_MS } from '../settings.ts';
import { element } from './dom.ts';

/** What the simulation assumes. */
const model: Readonly<Record<string, string>> = {
  Arrivals:
    'Calls arrive at random (Poisson), and all three servers receive the same calls, from the same seed.',
  Service:
    `Each admitted request needs one of the server's workers, such as a database connection, for ${MEAN_WORK_MS} ms on ` +
    'average (lognormal), and waits for it in the order of arrival.',
  'Clients that give up':
    'A client that gives up disconnects, which removes its request from the queue, but the server finishes work that has ' +
    'begun.',
  Retries:
    'A client retries a request that was rejected or timed out, after a random delay of up to ' +
    `${BACKOFF_MS} ms that doubles each time, or after Retry-After if that is longer.`,
  'Tenants and critical calls':
    `One tenant makes ${100 * LARGE_TENANT} % of the calls, and ${SMALL_TENANTS} small ones make the others; only the orders ` +
    '“fair between tenants” and “critical calls first” distinguish calls.',
  'Left out':
    'The simulation has no network, no connections, no handlers that keep the event loop busy, no garbage collection, ' +
    'and a single process.',
};

/** What the figures are of, for readers. */
export function explanation(): HTMLElement {
  const terms = Object.entries(model).flatMap(([name, text]) => [
    element('dt', {}, name),
    element('dd', {}, text),
  ]);
  const link = element('a', { href: './overload.html' }, 'Overload');
  return element(
    'div',
    { class: 'model' },
    element(
      'p',
      {},
      'This page runs the limiter itself, on a virtual clock; the server and its clients are simulated. ' +
        'A call is one or more requests: the first one and its retries. ' +
        'The times include answers that came too late.',
    ),
    element('dl', {}, ...terms),
    element('p', {}, link, ' has other kinds of handlers, and measurements of real servers.'),
  );
}
