import { LimitObject } from '@headgate/durable-object';
import type { ObjectContext, ObjectNamespace } from '../src/durable-object.ts';

type Storage = ObjectContext['storage'];

/** Storage that counts the rows that are written. Setting the alarm and deleting everything are billed as rows, too. */
class CountedStorage implements Storage {
  rows = 0;

  constructor(private readonly storage: Storage) {}

  readonly sql = {
    exec: (query: string, ...bindings: string[]): Iterable<Record<string, unknown>> => {
      const cursor = this.storage.sql.exec(query, ...bindings);
      const result = [...cursor];
      this.rows += (cursor as unknown as { readonly rowsWritten: number }).rowsWritten;
      return result;
    },
  };

  setAlarm(time: number): Promise<void> {
    this.rows++;
    return this.storage.setAlarm(time);
  }

  deleteAll(): Promise<void> {
    this.rows++;
    return this.storage.deleteAll();
  }
}

/**
 * A limit whose state a test can delete, as if the object had lost it, and whose written rows it can count. It can also be
 * removed from memory, as the runtime removes an idle object.
 */
export class TestedLimit extends LimitObject {
  constructor(
    private readonly context: ObjectContext & { abort(): void },
    _bindings: unknown,
    private readonly storage = new CountedStorage(context.storage),
  ) {
    super({ storage });
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/rows') return Response.json(this.storage.rows);
    if (pathname !== '/wipe' && pathname !== '/evict') return super.fetch(request);
    if (pathname === '/wipe') await this.context.storage.deleteAll();
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
