/** What `fetch` accepts. */
export type Input = Parameters<typeof fetch>[0];
export type Init = Parameters<typeof fetch>[1];

/** The functions that can be limited, and what `limitFetch` returns. */
export type Fetch = (input: Input, init?: Init) => Promise<Response>;

/** Not `instanceof`: other implementations of `fetch` have a class of their own. */
export function isRequest(input: Input): input is Request {
  return typeof input === 'object' && 'url' in input;
}

/** The origin of the URL. */
export function originOf(input: Input): string {
  if (input instanceof URL) return input.origin;
  return new URL(isRequest(input) ? input.url : input).origin;
}

/** The request without its body, which a Request would take away from the call. */
export function withoutBody(input: Input, init: Init): Request {
  const given = isRequest(input) ? input : undefined;
  const { method = given?.method ?? 'GET', headers = given?.headers ?? {} } = init ?? {};
  return new Request(given?.url ?? String(input), { method, headers });
}
