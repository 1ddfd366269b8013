import { instrument } from '@headgate/opentelemetry';
import { instrument as instrumentPrometheus } from '@headgate/prometheus';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { Registry } from 'prom-client';

type Limit = Parameters<typeof instrument>[0];

/** Tracing as servers that sample few requests have it: each request has a span, which records nothing. */
function tracing() {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return new BasicTracerProvider({ sampler: new AlwaysOffSampler() }).getTracer('bench');
}

/** Called for each request, within its span. */
export type Within = (next: () => unknown) => unknown;

export function prometheusFor(limit: Limit): void {
  instrumentPrometheus(limit, { register: new Registry() });
}

/** Spans for queued requests, in addition to metrics. */
export function spansFor(limit: Limit): void {
  instrument(limit, { meter: new MeterProvider().getMeter('bench'), tracer: tracing() });
}

/** The span of a request, which the server's own instrumentation creates with or without Headgate's. */
export function requestSpans(): Within {
  const tracer = tracing();
  return (next) => tracer.startActiveSpan('request', next);
}
