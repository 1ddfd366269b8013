import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { counts, RawSocket, until } from '@headgate/test-suite';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import promBundle from 'express-prom-bundle';
import { pinoHttp } from 'pino-http';
import { Counter, Histogram, Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { limited, listening } from './limited-server.ts';

type Observer = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Sends a request that is admitted, a queued one that is served, one that leaves the queue, and a rejected one, to an app
 * with this listener.
 */
async function fourRequests(observer: Observer, instrument = () => {}): Promise<void> {
  const limit = limited({ limit: 1, queueLimit: 2 });
  instrument();
  const responses: ServerResponse[] = [];
  const server = createServer((_req, res) => void responses.push(res));
  const port = await listening(server.on('request', observer));
  const send = (path: string) => {
    const client = new RawSocket(port);
    client.request(`GET ${path}`);
    return client;
  };
  const admitted = send('/admitted');
  await counts(limit, 1);
  const queued = send('/queued');
  await counts(limit, 1, 1);
  const leaver = send('/leaver');
  await counts(limit, 1, 2);
  await send('/rejected').receives(/503/);
  await leaver.destroy();
  await counts(limit, 1, 1);
  for (const [index, client] of [admitted, queued].entries()) {
    await until(() => responses.length > index);
    responses[index]?.end('served');
    await client.receives(/served/);
  }
  await counts(limit, 0);
}

it('a histogram of prom-client that a listener fills counts each request once', async () => {
  const registers = [new Registry()];
  const durations = new Histogram({
    name: 'duration',
    help: '-',
    labelNames: ['status'],
    registers,
  });
  const left = new Counter({ name: 'left', help: '-', registers });
  await fourRequests((_req, res) => {
    const end = durations.startTimer();
    res.on('finish', () => end({ status: res.statusCode }));
    res.on('close', () => !res.writableFinished && left.inc());
  });
  const text = await registers[0]?.metrics();
  expect(text).toContain('duration_count{status="200"} 2\n');
  expect(text).toContain('duration_count{status="503"} 1\n');
  expect(text).toContain('left 1\n');
});

it('express-prom-bundle counts each request once', async () => {
  const promRegistry = new Registry();
  const bundle = promBundle({ includePath: true, autoregister: false, promRegistry });
  await fourRequests((req, res) => bundle(req as never, res as never, () => {}));
  const text = await promRegistry.metrics();
  const counted = [...text.matchAll(/_count\{(.*)\} (\d+)/g)].map(([, ...each]) => each.join(' '));
  expect(counted.sort()).toEqual([
    'status_code="200",path="/admitted" 1',
    'status_code="200",path="/queued" 1',
    'status_code="499",path="/leaver" 1',
    'status_code="503",path="/rejected" 1',
  ]);
});

it('pino-http logs each request once', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      const { req, res, msg } = JSON.parse(String(chunk));
      lines.push(`${req.url} ${res.statusCode} ${msg}`);
      done();
    },
  });
  await fourRequests(pinoHttp({}, stream));
  expect(lines.sort()).toEqual([
    '/admitted 200 request completed',
    '/leaver null request aborted',
    '/queued 200 request completed',
    '/rejected 503 request errored',
  ]);
});

it('OpenTelemetry has a span of each request', async () => {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  const instrumentation = new HttpInstrumentation({ enabled: false });
  instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors }));
  await fourRequests(
    () => {},
    () => {
      onTestFinished(() => instrumentation.disable());
      instrumentation.enable();
      // It instruments the module when it is loaded with `require`.
      createRequire(import.meta.url)('node:http');
    },
  );
  const spans = exporter.getFinishedSpans().map(({ attributes }) => attributes);
  const named = spans.map((each) => `${each['url.path']} ${each['http.response.status_code']}`);
  expect(named.sort()).toEqual(['/admitted 200', '/leaver 200', '/queued 200', '/rejected 503']);
});
