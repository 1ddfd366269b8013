import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { startWorkerd } from '@headgate/test-servers';
import { statuses } from './program.ts';

interface Configuration {
  readonly compatibility_flags: readonly string[];
  readonly durable_objects: {
    readonly bindings: readonly [{ readonly name: string; readonly class_name: string }];
  };
}

/** Runs the Worker in two isolates, which use the object of the first one. */
export async function workers(program: URL): Promise<void> {
  const text = await readFile(new URL('wrangler.jsonc', program), 'utf8');
  const { compatibility_flags: flags, durable_objects } = JSON.parse(text) as Configuration;
  const [{ name, class_name: object }] = durable_objects.bindings;
  const isolate = { program, flags, bindings: { [name]: { worker: 'one', object } } };
  const server = await startWorkerd({ one: { ...isolate, objects: [object] }, two: isolate });
  try {
    const calls = Array.from({ length: 5 }, (_, id) => {
      const port = server.port(id % 2 === 0 ? 'one' : 'two');
      return fetch(`http://127.0.0.1:${port}/reports/${id}`, { method: 'POST' });
    });
    const answers = await Promise.all(calls);
    assert.deepEqual(statuses(answers), { 200: 4, 503: 1 }, 'two run, two wait, in both isolates');
  } finally {
    await server.stop();
  }
}
