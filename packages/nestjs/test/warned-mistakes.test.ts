import { ConcurrencyLimitModule, ipKey } from '@headgate/nestjs';
import { collectWarnings } from '@headgate/test-suite/kit';
import { Controller, Get } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { expect, it } from 'vitest';
import { App } from './app.ts';

@Controller()
class Ok {
  @Get()
  ok() {
    return 'ok';
  }
}

function onExpress(trust: true | string) {
  const adapter = new ExpressAdapter();
  adapter.set('trust proxy', trust);
  return adapter;
}

it.each([
  ['Express', 'loopback', 0, onExpress],
  ['Express', true, 1, onExpress],
  ['Fastify', 'loopback', 0, (trustProxy: true | string) => new FastifyAdapter({ trustProxy })],
  ['Fastify', true, 1, (trustProxy: true | string) => new FastifyAdapter({ trustProxy })],
] as const)(
  'Nest on %s, which trusts proxies: %s, warns %i times about a key that clients can choose',
  async (_, trust, count, create) => {
    const warnings = collectWarnings('HEADGATE_PERMISSIVE_PROXY');
    const limit = ConcurrencyLimitModule.forRoot({
      name: 'clients',
      limit: 1,
      key: (context) => ipKey(context.switchToHttp().getRequest().ip),
    });
    const app = await App.start(create(trust), { controllers: [Ok], imports: [limit] });
    for (let call = 0; call < 2; call++) {
      const answer = await app
        .call('/', { headers: { 'X-Forwarded-For': '203.0.113.7' } })
        .answer();
      expect(answer.status).toBe(200);
    }
    expect(warnings).toEqual(Array(count).fill(expect.stringMatching(/key of limit "clients"/)));
  },
);
