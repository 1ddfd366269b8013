import type { Observer } from '@headgate/core';
import { attributeNames } from '@headgate/core/metrics';
import {
  type Context,
  context,
  type Span,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** When a request has begun to wait, and in which context. */
interface Start {
  readonly context: Context;
  readonly time: number;
}

/**
 * Adds a span to each request that is queued, in the trace of that request. A request that is rejected immediately has
 * the outcome as an attribute of its active span instead.
 */
export class WaitSpans {
  readonly observer: Observer;
  /** Of queued requests. */
  readonly #spans = new Map<object, Span>();
  /** For each request that awaits a store: its start. Its later callbacks run in the context of the store's answer. */
  readonly #starts = new WeakMap<object, Start>();

  constructor(private readonly tracer: Tracer) {
    this.observer = {
      asked: ({ request }) => {
        const active = context.active();
        if (isSampled(active)) this.#starts.set(request, { context: active, time: Date.now() });
      },
      queued: ({ name, request }) => this.#queued(name, request),
      admitted: ({ request }) => this.#end(request, 'admitted'),
      withdrawn: ({ request }) => this.#end(request, 'withdrawn'),
      rejected: ({ name, request, rejection, shadow }) => {
        if (shadow || this.#end(request, rejection.reason)) return;
        const at = this.#starts.get(request)?.context ?? context.active();
        trace.getSpan(at)?.setAttributes(attributesOf(name, rejection.reason));
      },
    };
  }

  /** Ends the spans of requests that are still queued. */
  end(): void {
    for (const span of this.#spans.values()) span.end();
    this.#spans.clear();
  }

  #queued(name: string, request: object): void {
    const asked = this.#starts.get(request);
    const parent = asked?.context ?? context.active();
    if (!isSampled(parent)) return;
    const startTime = asked?.time ?? Date.now();
    const options = { startTime, attributes: { [attributeNames.limit]: name } };
    this.#spans.set(request, this.tracer.startSpan('headgate wait', options, parent));
  }

  /** Returns whether the request was queued. */
  #end(request: object, outcome: string): boolean {
    if (this.#spans.size === 0) return false;
    const span = this.#spans.get(request);
    if (span === undefined) return false;
    this.#spans.delete(request);
    span.setAttribute(attributeNames.outcome, outcome);
    span.end();
    return true;
  }
}

/**
 * Whether the request has a trace that is exported. If it has none, a span of the wait explains nothing, since the wait
 * is not an operation of its own. If the trace is not exported, a span would cost as much as the rest of the wait.
 */
function isSampled(parent: Context): boolean {
  const { traceFlags = TraceFlags.NONE } = trace.getSpan(parent)?.spanContext() ?? {};
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

function attributesOf(limit: string, outcome: string): Record<string, string> {
  return { [attributeNames.limit]: limit, [attributeNames.outcome]: outcome };
}
