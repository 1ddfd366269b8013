import type { Handle } from '@headgate/core';
import { type Tracer, trace } from '@opentelemetry/api';
import { scope } from './scope.ts';
import { WaitSpans } from './wait-spans.ts';

/** The wait spans of one limit with one tracer. */
interface TracedLimit {
  uses: number;
  stop(): void;
}

/**
 * By tracer. The tracer of the global provider has a key of its own, since it is a different object before and after
 * the SDK is registered.
 */
type ByTracer = Map<Tracer | 'global', TracedLimit>;

const known = new WeakMap<Handle, ByTracer>();

/**
 * Adds a span to each wait at the limit. An app may instrument a limit with several meters; each tracer still adds only
 * one span. Returns a function that removes it, unless another call needs it.
 *
 * @param tracer Default: the tracer of the global provider.
 */
export function addWaitSpans(limit: Handle, tracer: Tracer | undefined): () => void {
  const all: ByTracer = known.get(limit) ?? new Map();
  known.set(limit, all);
  const key = tracer ?? 'global';
  const traced = all.get(key) ?? observed(limit, tracer ?? trace.getTracer(scope));
  traced.uses++;
  all.set(key, traced);
  return () => {
    if (--traced.uses > 0) return;
    all.delete(key);
    traced.stop();
  };
}

function observed(limit: Handle, tracer: Tracer): TracedLimit {
  const spans = new WaitSpans(tracer);
  const stop = limit.observe(spans.observer);
  return {
    uses: 0,
    stop: () => {
      stop();
      spans.end();
    },
  };
}
