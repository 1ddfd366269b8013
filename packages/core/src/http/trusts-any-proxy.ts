/** A request of Express, Koa or Fastify. */
interface ProxiedRequest {
  /** The addresses that the framework trusts, read from the request of Node. */
  readonly ips?: readonly string[] | undefined;
}

/** More proxies than any app has, at addresses that no app trusts. */
const invented = {
  socket: { value: { remoteAddress: '192.0.2.1' } },
  headers: { value: { 'x-forwarded-for': Array(99).fill('192.0.2.1').join() } },
};
const message = { value: Object.create(null, invented) };

/**
 * Whether the app trusts any number of proxies, as with `trust proxy: true` in Express, `proxy` in Koa and `trustProxy`
 * in Fastify: asks it for the addresses of an invented request, since settings may also be functions or subnets.
 */
export function trustsAnyProxy(request: ProxiedRequest): boolean {
  const { ips }: ProxiedRequest = Object.create(request, {
    ...invented,
    raw: message,
    req: message,
  });
  return ips !== undefined && ips.length >= 99;
}
