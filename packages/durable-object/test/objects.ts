import { LimitObject, type ObjectContext, type ObjectNamespace } from '@headgate/durable-object';

/** A limit whose state a test can delete, as if the object had lost it. */
export class TestedLimit extends LimitObject {
  constructor(private readonly context: ObjectContext & { abort(): void }) {
    super(context);
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/wipe') return super.fetch(request);
    await this.context.storage.deleteAll();
    this.context.abort();
    return new Response();
  }
}

interface Bindings {
  readonly LIMITS: ObjectNamespace;
}

/** Passes requests on to the object that the header `object` names. */
export default {
  async fetch(request: Request, { LIMITS }: Bindings): Promise<Response> {
    const { method, url, headers, signal } = request;
    const stub = LIMITS.get(LIMITS.idFromName(headers.get('object') ?? ''));
    const body = await request.text();
    return stub.fetch(url, method === 'POST' ? { method, body, signal } : { signal });
  },
};
