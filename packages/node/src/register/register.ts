import { HeadgateError } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '../index.ts';
import type { Message } from '../message.ts';
import { type AdminOptions, prepareAdmin } from './admin.ts';
import { type Configuration, readConfiguration, wrongIn } from './configuration.ts';
import { limitServers } from './limited-servers.ts';
import { optionsOf } from './options.ts';

/** Set on `globalThis`, so that a second copy of this module does not limit the same requests again. */
const registeredKey = Symbol.for('headgate.registered');

if (!(registeredKey in globalThis)) {
  Object.defineProperty(globalThis, registeredKey, { value: true });
  register();
}

/** @throws HeadgateError for an invalid configuration, which ends the process before it listens. */
function register(): void {
  const configuration = readConfiguration();
  if (configuration === undefined) return;
  const { limit, startAdmin } = prepare(configuration);
  const admins = new WeakSet<object>();
  let isFirst = true;
  limitServers({
    limitOf: (server) => (admins.has(server) ? undefined : limit),
    // Not at once: NODE_OPTIONS also concerns processes without a server, such as those of a package manager.
    onListening: () => {
      if (!isFirst) return;
      isFirst = false;
      console.error(announcement(limit, configuration));
      if (startAdmin !== undefined) admins.add(startAdmin(limit));
    },
  });
}

/** Creates what the configuration describes. */
function prepare({ source, options }: Configuration) {
  const { admin, ...others } = options as { admin?: AdminOptions };
  try {
    const limit = concurrencyLimit<Message>(optionsOf(others));
    return { limit, startAdmin: admin === undefined ? undefined : prepareAdmin(admin) };
  } catch (error) {
    if (source === undefined || !(error instanceof HeadgateError)) throw error;
    throw wrongIn(source, error.message);
  }
}

function announcement(
  { limiters, guard }: ConcurrencyLimit<Message>,
  { source }: Configuration,
): string {
  const all = Object.values(limiters);
  const isShadow = all.some(({ mode }) => mode === 'shadow');
  const limits = all.map(({ name, limit, perKey, isAdaptive }) => {
    const value = isAdaptive ? 'adaptive' : String(limit);
    return `${name}: ${value}${perKey ? ' per key' : ''}`;
  });
  if (guard !== undefined) limits.push(`guard ${guard.name}`);
  // Names what was read, since HEADGATE replaces the file.
  const origin = source === undefined ? '' : `, as ${source} says`;
  const verb = isShadow ? 'only simulates limits of' : 'limits';
  return `headgate: ${verb} the requests to this process (${limits.join(', ')})${origin}. HEADGATE=off turns it off.`;
}
