import {
  type Admission,
  type Client,
  type Handle,
  HttpGate,
  type HttpOptions,
  NodeClient,
  type NodeRequest,
  type NodeResponse,
  unlimited,
  type Visit,
  withHandle,
} from '@headgate/core/http';
import type { Context, Env, MiddlewareHandler, Next } from 'hono';
import { framework } from './framework.ts';
import { WebClient } from './web-client.ts';

/** Where the handler finds its admission: `c.var.admission`. */
export interface AdmissionEnv {
  Variables: { admission: Admission };
}

// biome-ignore lint/suspicious/noConfusingVoidType: what Hono's own middleware may return
type Answered = Response | undefined | void;

export type ConcurrencyLimitOptions<E extends Env = Env> = HttpOptions<
  Context<E>,
  [c: Context<E>, next: Next],
  Answered | false | Promise<Answered | false>
>;

export type ConcurrencyLimit<E extends Env = Env> = MiddlewareHandler<E & AdmissionEnv> & Handle;

/**
 * Limits how many requests are handled at once. What cannot be admitted waits in a short line or is turned away
 * with 503 and `Retry-After`.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function concurrencyLimit<E extends Env = Env>(
  options: ConcurrencyLimitOptions<E>,
): ConcurrencyLimit<E> {
  const http = new HttpGate<Context<E>>(options, framework as never);
  const { onReject } = options;

  async function limit(c: Context<E & AdmissionEnv>, next: Next): Promise<Answered> {
    const client = clientOf(c);
    const visit = http.enter(c as never, client);
    if (visit === undefined) {
      if (c.var.admission === undefined) c.set('admission', unlimited as never);
      return next();
    }
    if (visit.answered !== undefined) await visit.answered;
    const { rejection } = visit;
    // Nobody is there to read it; what stands around this middleware sees that it came to nothing.
    if (visit.left) return new Response(null, { status: 499 });
    c.set('admission', visit.admission as never);
    if (rejection === undefined) {
      const fields = http.fields(visit);
      await handle(visit, c, client, next);
      // A response that switches protocols cannot be made anew.
      if (c.res.status === 101) return;
      for (const [name, value] of fields) c.header(name, value, { append: true });
      return;
    }
    const result = onReject === undefined ? false : await onReject(rejection, c as never, next);
    if (result !== false) return result;
    const { status, headers, body } = http.refuse(visit, rejection, c as never);
    return c.body(body, status as 503, headers);
  }

  return withHandle(limit as MiddlewareHandler, http) as unknown as ConcurrencyLimit<E>;
}

async function handle(visit: Visit, c: Context, client: Client, next: Next): Promise<void> {
  try {
    await visit.during(next());
    const isRead = c.req.method !== 'HEAD' && c.res.status !== 101;
    if (!(client instanceof WebClient)) return;
    const watched = client.watch(c.res, isRead);
    if (watched !== c.res) c.res = watched;
  } catch (error) {
    client.ended('begun');
    throw error;
  }
}

const webClients = new WeakMap<Request, WebClient>();

/** On Node the response itself tells when it is over, and its body is left alone. */
function clientOf(c: Context): Client {
  const { incoming, outgoing } = (c.env ?? {}) as {
    incoming?: NodeRequest;
    outgoing?: NodeResponse;
  };
  if (incoming !== undefined && outgoing !== undefined) return NodeClient.of(incoming, outgoing);
  const { raw } = c.req;
  const known = webClients.get(raw);
  if (known !== undefined) return known;
  const client = new WebClient(raw.signal);
  webClients.set(raw, client);
  return client;
}
