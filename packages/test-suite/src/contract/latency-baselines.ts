import { expect, it } from 'vitest';
import type { Step, SuiteHandler } from '../framework.ts';
import { ok } from '../kit/handlers.ts';
import { recordingLimit } from '../kit/recording-limit.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

type Kind = string | undefined;

const root: Step = { path: '/', handle: ok };

function mount(path: string, ...steps: Step[]): Step {
  return { mount: path, steps };
}

/** Throws for paths that end in 0. */
const failing: SuiteHandler = (context) => {
  if (context.path.endsWith('0')) throw new Error('a bug of the app');
  return ok(context);
};

/** Tests that an adaptive limit has a baseline for each kind of work, which the adapter derives from the route. */
export function latencyBaselines(world: World): void {
  /**
   * The kind of each request, in order, for an app whose steps contain the limit. A request is a method, a path, and
   * the word `fails` unless its response is a 200.
   */
  async function kindsWithin(
    stepsWith: (limit: Step) => Step[],
    ...requests: string[]
  ): Promise<Kind[]> {
    const { samples, limit } = recordingLimit();
    const middleware = world.limit({ limit });
    const app = await world.serve(...stepsWith({ use: middleware }));
    for (const request of requests) {
      const [method, path, fails] = request.split(' ') as [string, string, string?];
      const answer = await app.call(path, { method }).answer();
      if (fails === undefined) expect(answer, request).toMatchObject({ status: 200 });
      else app.ignoreErrors();
      await counts(middleware, 0);
    }
    return samples.map(({ kind }) => kind);
  }

  /** The kind of each request, for an app whose limit comes before the steps. */
  function kindsOf(steps: Step[], ...requests: string[]): Promise<Kind[]> {
    return kindsWithin((limit) => [limit, ...steps], ...requests);
  }

  function expectSeparate(kinds: readonly Kind[], count: number): void {
    expect(kinds).toHaveLength(count);
    expect(kinds).not.toContain(undefined);
    expect(new Set(kinds).size).toBe(count);
  }

  it('are shared by all tenants in the path of a mounted router', async () => {
    const steps = [mount('/:tenant/reports', { path: '/:id', handle: ok })];
    const paths = ['acme', 'globex', 'a%20b'].flatMap((tenant) => [
      `GET /${tenant}/reports/1`,
      `GET /${tenant}/reports/2?page=${tenant}`,
    ]);
    const kinds = await kindsOf(steps, ...paths);
    expect(kinds).toHaveLength(paths.length);
    expectSeparate([...new Set(kinds)], 1);
  });

  it('are separate for equal routes of two mounted routers', async () => {
    const paths = ['GET /a', 'GET /b'];
    const kinds = await kindsOf([mount('/a', root), mount('/b', root)], ...paths, ...paths);
    expectSeparate(kinds.slice(0, 2), 2);
    expect(kinds.slice(2)).toEqual(kinds.slice(0, 2));
  });

  it('are separate for equal routes of two mounted routers with a tenant in their paths', async () => {
    const steps = [mount('/:tenant/a', root), mount('/:tenant/b', root)];
    const kinds = await kindsOf(steps, 'GET /acme/a', 'GET /acme/b', 'GET /globex/a');
    expectSeparate(kinds.slice(0, 2), 2);
    expect(kinds[2]).toBe(kinds[0]);
  });

  it('are separate for equal routes of routers mounted at equal paths in two others', async () => {
    const steps = [mount('/v1', mount('/a', root)), mount('/v2', mount('/a', root))];
    expectSeparate(await kindsOf(steps, 'GET /v1/a', 'GET /v2/a'), 2);
  });

  it('are separate for equal routes of two mounted routers that use the limit themselves', async () => {
    const stepsWith = (limit: Step) => [mount('/a', limit, root), mount('/b', limit, root)];
    expectSeparate(await kindsWithin(stepsWith, 'GET /a', 'GET /b'), 2);
  });

  it('are separate for two methods of a path', async () => {
    const post: Step = { path: '/', method: 'POST', handle: ok };
    expectSeparate(await kindsOf([mount('/a', root, post)], 'GET /a', 'POST /a'), 2);
  });

  it('are separate for routes that come before a handler of all paths', async () => {
    const steps: Step[] = [{ path: '/a', handle: ok }, { path: '/b', handle: ok }, { handle: ok }];
    expectSeparate(await kindsOf(steps, 'GET /a', 'GET /b'), 2);
  });

  it('belong to the route even if the request fails', async () => {
    const route: Step = { path: '/:id', handle: failing };
    const steps = [mount('/a', route), mount('/b', route)];
    const kinds = await kindsOf(steps, 'GET /a/1', 'GET /b/1', 'GET /a/0 fails', 'GET /b/0 fails');
    expectSeparate(kinds.slice(0, 2), 2);
    expect(kinds.slice(2)).toEqual(kinds.slice(0, 2));
  });

  it('are shared by all paths without a route', async () => {
    const steps: Step[] = [{ path: '/a', handle: ok }];
    const kinds = await kindsOf(
      steps,
      'GET /x fails',
      'GET /y fails',
      'GET /a/x fails',
      'GET /a/y fails',
    );
    expect(new Set(kinds).size).toBeLessThanOrEqual(1);
  });
}
