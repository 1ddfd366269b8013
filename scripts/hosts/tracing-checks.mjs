// Tracing that is loaded before or after the hook: a request keeps its trace while it is queued. A rejected request has a
// span if the hook is loaded first.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { withHost } from './http-checks.mjs';

const hook = '--import @headgate/node/register';
const openTelemetry = '@opentelemetry/auto-instrumentations-node/register';

export const openTelemetryCheck = tracingCheck('opentelemetry.cjs', [
  `${hook} --import ${openTelemetry}`,
  `--import ${openTelemetry} ${hook}`,
  `--require ${openTelemetry} ${hook}`,
]);

export const datadogCheck = tracingCheck('datadog.cjs', [
  `${hook} --import dd-trace/initialize.mjs`,
  `--import dd-trace/initialize.mjs ${hook}`,
  `--require dd-trace/init ${hook}`,
]);

function tracingCheck(file, orders) {
  return async ({ project, backend }) => {
    const collector = await Collector.start();
    try {
      for (const nodeOptions of orders) {
        const options = { command: ['node', file], nodeOptions, env: collector.env };
        await withHost(project, backend, options, async (host) => {
          await tracesAreKept(host, backend);
          if (!nodeOptions.startsWith(hook)) return;
          await host.until(
            async () => collector.hasRejected(),
            () => 'the rejected request has no span',
          );
        });
        collector.text = '';
      }
    } finally {
      await collector.close();
    }
  };
}

async function tracesAreKept(host, backend) {
  const ids = ['1', '2', '3', '4'].map((digit) => digit.repeat(32));
  const responseOf = (id) => {
    const traceparent = `00-${id}-${'1'.repeat(16)}-01`;
    return fetch(host.url('/slow'), { headers: { traceparent } });
  };
  const admitted = ids.slice(0, 2).map(responseOf);
  await backend.holds(2);
  admitted.push(responseOf(ids[2]));
  await host.has({ active: 2, queued: 1 });
  assert.equal((await responseOf(ids[3])).status, 503);
  const responses = await backend.releasing(Promise.all(admitted));
  const texts = await Promise.all(responses.map((res) => res.text()));
  assert.deepEqual(texts, ids.slice(0, 3));
  await host.has({ active: 0, queued: 0 });
}

/** Receives spans, as OpenTelemetry's collector and Datadog's agent do. */
class Collector {
  text = '';
  #server;

  static async start() {
    const collector = new Collector();
    collector.#server = createServer((req, res) => {
      req.setEncoding('latin1').on('data', (part) => {
        collector.text += part;
      });
      req.once('end', () => res.setHeader('Content-Type', 'application/json').end('{}'));
    });
    await once(collector.#server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  get env() {
    const url = `http://127.0.0.1:${this.#server.address().port}`;
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
      DD_TRACE_AGENT_URL: url,
      DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
      DD_REMOTE_CONFIGURATION_ENABLED: 'false',
    };
  }

  /** Whether it has received a span with the status 503, as JSON or as MessagePack. */
  hasRejected() {
    return /status_code\W{1,3}(?:value\W+intValue\W+)?503/.test(this.text);
  }

  async close() {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
