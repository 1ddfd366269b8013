/// <reference path="./cloudflare-workers.d.ts" />
import { onWorkers, workersClock } from '@headgate/core';
import { checkMethods, checkNames, invalid } from '@headgate/core/options';
import { checkTimes, type Store, type StoreOptions } from '@headgate/store-kit';
import type { ObjectNamespace } from './durable-object.ts';
import { DurableObjectStore } from './durable-object-store.ts';

export { LimitObject } from './limit-object.ts';

/** Options of `durableObjectStore`. */
export interface DurableObjectStoreOptions extends Omit<StoreOptions, 'reserve'> {
  /** The binding of `LimitObject`, such as `env.LIMITS` of `cloudflare:workers`. */
  readonly namespace: ObjectNamespace;
}

const known = ['namespace', 'leaseDuration', 'timeout', 'handoff', 'name'];

/**
 * Creates a store that counts limits in Durable Objects, for all isolates of a Cloudflare Worker together.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function durableObjectStore(options: DurableObjectStoreOptions): Store {
  checkNames('durableObjectStore', options, known);
  const namespace = checkNamespace(options.namespace);
  const { handoff, name = 'durable-object' } = options;
  const settings = { ...checkTimes(options), handoff, name };
  if (!onWorkers()) {
    return new DurableObjectStore({ namespace, waitUntil: () => {} }, settings);
  }
  const connection = { namespace, waitUntil: waitUntilOfRuntime() };
  return new DurableObjectStore(connection, { ...settings, clock: workersClock });
}

function checkNamespace(namespace: ObjectNamespace): ObjectNamespace {
  checkMethods('namespace', namespace, ['idFromName', 'get']);
  // Service bindings and stubs of objects appear to have every method, since calling one is a remote call.
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
