import { LARGE_TENANT, SMALL_TENANTS } from '../model/calls.ts';
import { BACKOFF_MS } from '../model/run.ts';
import { MEAN_WORK_MS } from '../settings.ts';
import { element } from './dom.ts';

/** What the simulation assumes. */
const model: Readonly<Record<string, string>> = {
  Arrivals:
    'Calls arrive at random (Poisson), and all three servers receive the same calls, from the same seed.',
  Service:
    "Each admitted request waits, in order of arrival, for one of the server's workers, such as a database connection, " +
    `and uses it for ${MEAN_WORK_MS} ms on average (lognormal).`,
  'Clients that give up':
    'A client that gives up disconnects. Its request leaves the queue, but the server finishes work that has begun.',
  Retries:
    'After a rejection or a timeout, a client retries. It first waits for a random time of up to ' +
    `${BACKOFF_MS} ms, which doubles with each retry, or for Retry-After if that is longer.`,
  'Tenants and critical calls':
    `One tenant makes ${100 * LARGE_TENANT} % of the calls, and ${SMALL_TENANTS} small tenants make the others. Only the ` +
    'orders “fair between tenants” and “critical calls first” treat calls differently.',
  'Left out':
    'The simulation leaves out the network, connections, handlers that keep the event loop busy, garbage collection, ' +
    'and other processes.',
};

/** What the figures are of, for readers. */
export function explanation(): HTMLElement {
  const terms = Object.entries(model).map(([name, text]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, text)),
  );
  const link = element('a', { href: './overload.html' }, 'Overload');
  return element(
    'details',
    { class: 'model' },
    element('summary', {}, 'What is simulated, and what is left out'),
    element(
      'p',
      {},
      'The limiter is the real one, on a virtual clock. The server and its clients are simulated. ' +
        'A call is a request with its retries. The times include answers that came too late.',
    ),
    element('dl', {}, ...terms),
    element('p', {}, link, ' has other kinds of handlers, and measurements of real servers.'),
  );
}
