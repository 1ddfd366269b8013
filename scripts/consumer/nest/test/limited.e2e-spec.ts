import { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { LimitedModule, reports } from './../src/limited.module';

describe.each(['express', 'fastify'])('a limited module on %s', (platform) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({ imports: [LimitedModule] }).compile();
    app =
      platform === 'express'
        ? testing.createNestApplication()
        : testing.createNestApplication(new FastifyAdapter());
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });

  it('holds a permit of the module', async () => {
    const response = await fetch(url);
    expect(await response.text()).toBe('Hello World! 1');
  });

  it('rejects beyond the limit of a decorator', async () => {
    const responses = await Promise.all([fetch(`${url}/reports`), fetch(`${url}/reports`)]);
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 503]);
    const rejected = responses.find(({ status }) => status === 503);
    expect(rejected?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await rejected?.json()).toMatchObject({ statusCode: 503, reason: 'full' });
    expect(reports.holders).toBe(0);
  });

  afterAll(() => app.close());
});
