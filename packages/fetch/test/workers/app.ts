import { limitFetch } from '../../src/index.ts';

interface Bindings {
  readonly UPSTREAM: { fetch: typeof fetch };
}

let binding: Bindings['UPSTREAM'];
const api = limitFetch((input, init) => binding.fetch(input, init), {
  limit: 2,
  tryTimeout: 5_000,
});

function held(): number {
  return api.stats().reduce((sum, { holders, queued }) => sum + holders + queued, 0);
}

/** What becomes of a call, by the path of the request. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  '/read': async () => (await (await api('http://upstream/')).arrayBuffer()).byteLength,
  '/many': async () => {
    const sizes = Array.from({ length: 10 }, () => calls['/read']?.());
    return (await Promise.all(sizes)).length;
  },
  '/cancel': async () => (await api('http://upstream/')).body?.cancel(),
  '/global': async () => (await limitFetch(fetch, { limit: 1 })('data:text/plain,text')).text(),
  '/failed': async () => (await api('http://upstream/503')).status,
  '/abort': async () => {
    const controller = new AbortController();
    const response = await api('http://upstream/', { signal: controller.signal });
    controller.abort(new Error('left'));
    return response.arrayBuffer().catch((error: Error) => error.message);
  },
};

export default {
  async fetch(request: Request, { UPSTREAM }: Bindings): Promise<Response> {
    binding = UPSTREAM;
    const { pathname } = new URL(request.url);
    if (pathname === '/pass-on') return api('http://upstream/503');
    const result = await calls[pathname]?.();
    // A body that nothing reads ends a moment after the response.
    for (let i = 0; i < 100 && held() > 0; i++) await new Promise((next) => setTimeout(next, 10));
    return Response.json({ result, held: held() });
  },
};
