import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setImmediate as iteration } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { outsideRequest } from '../src/outside-request.ts';

const tenant = new AsyncLocalStorage<string>();

it('outsideRequest calls its function outside of the async context, and returns its result', () => {
  const seen = tenant.run('request', () =>
    outsideRequest((...args: number[]) => [tenant.getStore(), ...args], 1, 2),
  );
  expect(seen).toEqual([undefined, 1, 2]);
});

it('a function that enters an async context does not change the context of later functions', () => {
  outsideRequest(() => tenant.enterWith('entered'));
  expect(outsideRequest(() => tenant.getStore())).toBeUndefined();
});

it("a module loaded during a request still leaves the request's context", async () => {
  const loaded = await tenant.run('request', () => copy('loaded-within-a-request'));
  expect(tenant.run('other', () => loaded(() => tenant.getStore()))).toBeUndefined();
});

it('a loaded module leaves no async resource open, which Jest would report', async () => {
  const open = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === 'HEADGATE' && open.add(id)),
    destroy: (id) => void open.delete(id),
  });
  hook.enable();
  onTestFinished(() => void hook.disable());
  const loaded = await copy('observed-by-hooks');
  expect(open.size).toBe(1);
  await iteration();
  expect(open.size).toBe(0);
  expect(tenant.run('request', () => loaded(() => tenant.getStore()))).toBeUndefined();
});

it('a runtime without async contexts calls the function at once', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const loaded = await copy('without-async-contexts');
  expect(loaded((text) => text, 'result')).toBe('result');
});

/** The function of another copy of the module, which is loaded now. */
async function copy(name: string): Promise<typeof outsideRequest> {
  const file = `../src/outside-request.ts?${name}`;
  const module: { outsideRequest: typeof outsideRequest } = await import(file);
  return module.outsideRequest;
}
