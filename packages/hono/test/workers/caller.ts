interface Bindings {
  readonly APP: { fetch(url: string, init?: RequestInit): Promise<Response> };
}

/**
 * Calls the other Worker once per element of the query `delays`, and aborts each call after these milliseconds.
 * Responds with the statuses of the calls that were answered first.
 */
export default {
  async fetch(request: Request, { APP }: Bindings): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const paths = JSON.parse(searchParams.get('paths') ?? '[]') as [path: string, delay: number][];
    const call = async ([path, delay]: [path: string, delay: number]) => {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), delay);
      try {
        const response = await APP.fetch(`http://app${path}`, { signal: abort.signal });
        const { status } = response;
        await response.text();
        return status;
      } catch {
        return 0;
      } finally {
        clearTimeout(timer);
      }
    };
    return Response.json(await Promise.all(paths.map(call)));
  },
};
