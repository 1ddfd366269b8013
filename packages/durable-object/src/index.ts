/// <reference path="./cloudflare-workers.d.ts" />
import { onWorkers, workersClock } from '@headgate/core';
import { checkTimes, type Store } from '@headgate/core/distributed';
import { checkMethods, checkNames, invalid } from '@headgate/core/options';
import type { ObjectNamespace } from './durable-object.ts';
import { DurableObjectStore } from './durable-object-store.ts';

export { LimitObject } from './limit-object.ts';

export interface DurableObjectStoreOptions {
  /** The binding of `LimitObject`, such as `env.LIMITS` of `cloudflare:workers`. */
  readonly namespace: ObjectNamespace;
  /**
   * Milliseconds after which a permit expires unless it is renewed, which happens once a third has passed. The permit
   * of an isolate that was ended is held until then. At least 100, and at least three times `timeout`. Default: 10,000.
   */
  readonly leaseDuration?: number | undefined;
  /** Timeout of a call in milliseconds. Default: 1,000, or a third of `leaseDuration` if that is shorter. */
  readonly timeout?: number | undefined;
  /** The store's name in metrics, where an app has several. Default: `durable-object`. */
  readonly name?: string | undefined;
}

/**
 * Creates a store that counts limits in Durable Objects, for all isolates of a Cloudflare Worker together.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function durableObjectStore(options: DurableObjectStoreOptions): Store {
  checkNames('durableObjectStore', options, ['namespace', 'leaseDuration', 'timeout', 'name']);
  const { leaseDuration, timeout } = checkTimes(options);
  const namespace = checkNamespace(options.namespace);
  const { name = 'durable-object' } = options;
  if (!onWorkers()) {
    const times = { leaseDuration, timeout, name };
    return new DurableObjectStore({ namespace, waitUntil: () => {} }, times);
  }
  const times = { leaseDuration, timeout, clock: workersClock, name };
  return new DurableObjectStore({ namespace, waitUntil: waitUntilOfRuntime() }, times);
}

function checkNamespace(namespace: ObjectNamespace): ObjectNamespace {
  checkMethods('namespace', namespace, ['idFromName', 'get']);
  // A service binding and the stub of an object have every method: calling one is a remote call.
  const { headgate } = namespace as { readonly headgate?: unknown };
  if (typeof headgate !== 'function') return namespace;
  throw invalid('namespace', 'a binding of Durable Objects', namespace);
}

/** Imports the module only on Workers, since applications run their tests in runtimes that do not have it. */
function waitUntilOfRuntime(): (work: Promise<unknown>) => void {
  let extend = (_: Promise<unknown>) => {};
  // Imported at startup: the runtime ends the request of a disconnected client before an import could be awaited.
  void import('cloudflare:workers').then(({ waitUntil }) => {
    extend = waitUntil;
  });
  return (work) => extend(work);
}
