// What the adapter suite uses of vitest, for tests that run in a Worker. Replaces that module in its bundle.
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend, setState } from '@vitest/expect';
import * as chai from 'chai';

type Body = (context: { readonly task: Task }) => unknown;

interface Task {
  result?: { readonly state: 'pass' | 'fail' };
}

interface Test {
  readonly name: string;
  readonly body: Body;
  readonly afterEach: readonly Body[];
}

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers])
  chai.use(plugin as never);

export const { expect } = chai;
setState({ assertionCalls: 0 } as never, expect as never);

/** All tests, in order. */
export const tests: Test[] = [];

let path: readonly string[] = [];
let hooks: readonly Body[] = [];
let finished: (() => unknown)[] = [];

export function describe(name: string, ...rest: [...unknown[], () => void]): void {
  const outer = { path, hooks };
  path = [...path, name];
  (rest.at(-1) as () => void)();
  ({ path, hooks } = outer);
}

export function afterEach(hook: Body): void {
  hooks = [...hooks, hook];
}

export function it(title: string, body: Body): void {
  const name = [...path.slice(1), title].join(' > ');
  const same = tests.filter((test) => test.name.startsWith(name)).length;
  tests.push({ name: same === 0 ? name : `${name} (${same + 1})`, body, afterEach: hooks });
}

it.each = (rows: readonly unknown[]) => (title: string, body: (...row: never[]) => unknown) => {
  for (const row of rows) {
    const values = Array.isArray(row) ? row : [row];
    let next = 0;
    it(
      title.replace(/%\w/g, () => `${values[next++]}`),
      () => body(...(values as never[])),
    );
  }
};

export function onTestFinished(hook: () => unknown): void {
  finished.push(hook);
}

export const vi = {
  async waitFor(look: () => unknown, { timeout = 10_000 } = {}): Promise<unknown> {
    const end = Date.now() + timeout;
    for (;;) {
      try {
        return await look();
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  },

  spyOn(object: Record<string, unknown>, name: string) {
    const original = object[name];
    const spy = {
      mockImplementation: (replacement: unknown) => {
        object[name] = replacement;
        return spy;
      },
      mockRestore: () => {
        object[name] = original;
      },
    };
    return spy;
  },
};

/** Runs a test. Rejects with its error. */
export async function run({ body, afterEach: after }: Test): Promise<void> {
  const task: Task = {};
  finished = [];
  try {
    await body({ task });
    task.result = { state: 'pass' };
  } catch (error) {
    task.result = { state: 'fail' };
    throw error;
  } finally {
    for (const hook of finished) await hook();
    for (const hook of after) await hook({ task });
  }
}

/** The suites of stores, which a Worker does not run, import it. */
export function beforeEach(): void {}
