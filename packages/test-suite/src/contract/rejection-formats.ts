import { expect, it } from 'vitest';
import type { SuiteOptions } from '../framework.ts';
import { callWhileBusy } from '../kit/busy.ts';
import { type Answer, browser } from '../kit/call.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function rejectionFormats(world: World): void {
  function accepting(accept: string, method = 'GET', options: SuiteOptions = {}): Promise<Answer> {
    return callWhileBusy(world, { method, headers: { Accept: accept } }, options);
  }

  it.each(['', '*/*', 'application/json', 'application/problem+json', 'application/*;q=0.2'])(
    'sends problem+json to a client that accepts "%s"',
    async (accept) => {
      const { headers, body } = await callWhileBusy(
        world,
        accept === '' ? {} : { headers: { Accept: accept } },
      );
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      const problem = JSON.parse(body);
      expect(problem).toMatchObject({ status: 503, 'violated-policies': ['unnamed'] });
      expect(problem.type).toMatch(/#temporary-reduced-capacity$/);
      expect(problem.title).toEqual(expect.any(String));
    },
  );

  it.each(['text/html', browser, 'text/html;q=0.9, text/plain;q=0.1', 'text/html, */*;q=0.1'])(
    'sends a page that reloads by itself to a browser that accepts "%s"',
    async (accept) => {
      const { headers, body } = await accepting(accept);
      expect(headers['content-type']).toMatch(/^text\/html/);
      const seconds = headers['retry-after'];
      expect(body).toContain(`<meta http-equiv="refresh" content="${seconds}">`);
    },
  );

  it('responds to a POST with a page that does not reload itself', async () => {
    const { headers, body } = await accepting('text/html', 'POST');
    expect(headers['content-type']).toMatch(/^text\//);
    expect(body).not.toContain('http-equiv');
  });

  it.each(['text/plain', 'text/html;q=0.1, text/plain;q=0.9', 'image/png'])(
    'sends plain text to a client that accepts "%s"',
    async (accept) => {
      const { headers, body } = await accepting(accept);
      expect(headers['content-type']).toMatch(/^text\/plain/);
      expect(body).toMatch(/\d/);
      expect(body).not.toMatch(/[<{]/);
    },
  );

  it.each([
    ['text/html;q=0.5, application/json', /json/],
    ['application/json;q=0, */*', /^text\//],
    ['text/html;q=0, text/*', /^text\/plain/],
    ['TEXT/HTML;Q=1, application/json;q=0.5', /^text\/html/],
    ['text/html ; q=0.3 , application/json ; q=0.4', /json/],
    ['text/html;level=1;q=0.9, application/json;q=0.2', /^text\/html/],
    ['text/html;q=2, application/json;q=nothing', /./],
    [`${'x/y,'.repeat(3000)}text/html`, /./],
  ])('follows the preferences of the client: "%.40s"', async (accept, type) => {
    const { status, headers } = await accepting(accept);
    expect(status).toBe(503);
    expect(headers['content-type']).toMatch(type);
  });

  it('responds to a HEAD request as to a GET, but without a body', async () => {
    const { status, headers, body } = await accepting('text/html', 'HEAD');
    expect(status).toBe(503);
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(body).toBe('');
  });

  it.each(['application/problem+json', 'text/html', 'text/plain'])(
    'responds to a HEAD with the Content-Length of a GET, or without one: "%s"',
    async (accept) => {
      // A fixed random number, so that the number of seconds in the body has the same number of digits in both
      // responses.
      const options = { clock: new VirtualClock({ random: () => 0 }) };
      const [get, head] = [
        await accepting(accept, 'GET', options),
        await accepting(accept, 'HEAD', options),
      ];
      const length = String(Buffer.byteLength(get.body));
      expect([length, undefined]).toContain(head.headers['content-length']);
    },
  );

  it('responds with 429 if the limit sets it', async () => {
    const { status, headers, body } = await callWhileBusy(world, {}, { statusCode: 429 });
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    const problem = JSON.parse(body);
    expect(problem).toMatchObject({ status: 429, title: 'Too many concurrent requests' });
    expect(problem.detail).toMatch(/^Too many requests at the same time\. Try again in \d+ s/);
    expect(problem.type).toMatch(/#quota-exceeded$/);
  });
}
