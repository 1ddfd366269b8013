import type { Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Not found</title>
<h1>Not found</h1>
<p>There is nothing here. <a href="/metrics">Metrics</a> are.</p>
</html>
`;

/** Answers 405 if the path has a route for another method, and otherwise 404. */
export function notFound(app: Hono, count: () => void): void {
  const checkMethod = methodNotAllowed({ app });
  app.notFound(async (c: Context) => {
    c.res = c.html(page, 404) as Response;
    await checkMethod(c, async () => {});
    if (c.res.status === 404 && c.req.method === 'GET') count();
    return c.res;
  });
}
