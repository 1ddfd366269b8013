import { expect, it } from 'vitest';
import { createGate, type Guard, type Observer } from '../../src/index.ts';
import { guarded } from './recording-guard.ts';

it('an operator can switch a guard to shadow mode and back, separately for each gate', async () => {
  const events: unknown[] = [];
  const { gate, guard } = guarded();
  gate.observe({ operated: (event) => events.push(event) });
  const other = createGate({ limits: [], guard });
  guard.rejects = ['normal'];
  expect(gate.guard).toMatchObject({ name: 'sentry', mode: 'enforce' });
  expect(gate.guard?.operations).toEqual(['shadow', 'enforce']);
  for (const _ of [1, 2]) gate.guard?.shadow();
  expect([gate.guard?.mode, other.guard?.mode]).toEqual(['shadow', 'enforce']);
  expect(await gate.run(() => 'done')).toBe('done');
  await expect(other.run(() => 'done')).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
  expect(gate.stats()).toMatchObject({ admitted: 1, wouldReject: { overloaded: 1 } });
  gate.guard?.enforce();
  await expect(gate.run(() => 'done')).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
  const name = 'sentry';
  expect(events).toEqual([
    { name, operation: 'shadow', limit: undefined },
    { name, operation: 'enforce', limit: undefined },
  ]);
  expect(createGate({ limits: [{ name: 'app', limit: 1 }] }).guard).toBeUndefined();
});

it('a guard in shadow mode does not put its limits into shadow mode', async () => {
  const { gate, guard } = guarded();
  guard.rejects = ['normal'];
  gate.guard?.shadow();
  const permits = [await gate.acquire()];
  expect(Object.values(gate.limiters)[0]?.mode).toBe('enforce');
  permits[0]?.release();
  guard.rejects = [];
  gate.guard?.enforce();
  expect(await gate.run(() => gate.holders)).toBe(1);
});

it('a closed gate without limits stays in shadow mode and admits requests; its mode cannot be changed', async () => {
  const { guard } = guarded();
  const [enforcing, shadow] = [
    createGate({ limits: [], guard }),
    createGate({ limits: [], guard }),
  ];
  shadow.guard?.shadow();
  for (const gate of [enforcing, shadow]) await gate.close();
  await expect(enforcing.run(() => 'done')).rejects.toMatchObject({
    rejection: { reason: 'closed' },
  });
  expect(await shadow.run(() => 'done')).toBe('done');
  const code = 'ERR_HEADGATE_UNSUPPORTED';
  const text = expect.stringContaining(
    'guard "sentry" does not support enforce: its gate is closed',
  );
  expect(() => shadow.guard?.enforce()).toThrow(expect.objectContaining({ code, message: text }));
  expect(() => enforcing.guard?.shadow()).toThrow(expect.objectContaining({ code }));
});

it('a guard in shadow mode reports rejections and admits the requests', async () => {
  const { guard, gate, reports } = guarded({ mode: 'shadow' });
  guard.rejects = ['normal'];
  const permit = await gate.acquire();
  expect(reports).toMatchObject([{ shadow: true, rejection: { reason: 'overloaded' } }]);
  expect(gate.stats()).toMatchObject({ holders: 1, wouldReject: { overloaded: 1 } });
  permit.release();
});

it.each([1, 2])(
  'a guard in shadow mode reports a request once, even if the last of %i limits would also reject it',
  async (count) => {
    const limits = ['one', 'other'].slice(0, count).map((name) => ({ name, limit: 1 }));
    const reports: string[] = [];
    const rejected: Observer['rejected'] = ({ rejection }) => void reports.push(rejection.reason);
    let isOverloaded = false;
    const guard: Guard = { name: 'guard', admits: () => !isOverloaded };
    const gate = createGate({
      limits,
      guard,
      queueLimit: 0,
      mode: 'shadow',
    });
    gate.observe({ rejected });
    const permits = [await gate.acquire()];
    isOverloaded = true;
    permits.push(await gate.acquire());
    expect(reports).toEqual(['overloaded']);
    expect(gate.stats().wouldReject).toMatchObject({ overloaded: 1, full: 0 });
    expect(gate.stats().limits.map(({ wouldReject }) => wouldReject.full)).toEqual(
      limits.map(() => 0),
    );
    isOverloaded = false;
    permits.push(await gate.acquire());
    expect(reports).toEqual(['overloaded', 'full']);
    expect(gate.stats()).toMatchObject({ admitted: 3, wouldReject: { overloaded: 1, full: 1 } });
    for (const permit of permits) permit.release();
  },
);
