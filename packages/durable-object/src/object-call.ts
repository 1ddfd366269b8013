import { decode, encode } from '@headgate/store-kit';
import type { ObjectNamespace } from './durable-object.ts';
import type { Call, Line } from './protocol.ts';

/** A call to one object, whose response may stay open to push grants. */
export class ObjectCall {
  readonly #lines: AsyncIterator<Line>;
  readonly #abort = new AbortController();

  constructor(namespace: ObjectNamespace, name: string, call: Call) {
    this.#lines = this.#read(namespace, name, call);
  }

  /** Resolves to the next line; undefined at the end. */
  async next(): Promise<Line | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  /** Ends the call; its pending `next` rejects. */
  end(): void {
    this.#abort.abort();
  }

  async *#read(namespace: ObjectNamespace, name: string, call: Call): AsyncGenerator<Line> {
    const { signal } = this.#abort;
    const stub = namespace.get(namespace.idFromName(name));
    const init = { method: 'POST', body: encode(call), signal };
    const { ok, status, body } = await stub.fetch('https://limit/', init);
    if (!ok || body === null) throw new Error(`the object answered ${status}`);
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield decode<Line>(line);
    }
  }
}
