import { checkToken } from '@headgate/core/options';
import { parse, TomlError } from 'smol-toml';
import { type SemaphoreOptions, type SemaphoresOptions, semaphoresFrom } from '../semaphores.ts';
import { lineOf } from './line-of.ts';
import { type LogLevel, logLevelFrom } from './log-level.ts';
import { InvalidValue, Table } from './table.ts';
import { unknownKeys } from './unknown-keys.ts';

/** The parsed configuration file. */
export interface Configuration {
  readonly semaphores: SemaphoresOptions;
  readonly logLevel: LogLevel | undefined;
  readonly token: string | undefined;
  readonly maxPeers: number | undefined;
  readonly maxBlocked: number | undefined;
  readonly maxConnections: number | undefined;
  /** Paths of PEM files. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  /** The keys that have no effect, with their lines. */
  readonly warnings: readonly string[];
  /** Creates the error for a value that turns out to be invalid after parsing. */
  errorAt(path: readonly string[], message: string): ConfigurationError;
}

/** Maximum number of unknown keys that are named with their line, since finding a line is slow. */
const MAX_UNKNOWN_NAMED = 10;

/** An invalid configuration file. The message names the file, the line and the key. */
export class ConfigurationError extends Error {
  override readonly name: string = 'ConfigurationError';
}

/**
 * Parses a configuration file.
 *
 * @param file The name of the file in error messages.
 * @throws ConfigurationError for invalid TOML or an invalid value, or a misspelt key.
 */
export function parseConfiguration(text: string, file: string): Configuration {
  const at = (path: readonly string[], message: string) =>
    [file, lineOf(text, path), ` ${message}`].filter((part) => part !== undefined).join(':');
  const errorAt = (path: readonly string[], message: string) =>
    new ConfigurationError(at(path, message));
  try {
    const root = new Table(parse(text, { integersAsBigInt: true }));
    const unknown = unknownKeys(root);
    const warnings = unknown
      .slice(0, MAX_UNKNOWN_NAMED)
      .map((path) => at(path, `the key "${path.join('.')}" is unknown and ignored`));
    const others = unknown.length - warnings.length;
    if (others > 0) warnings.push(`${file}: ${others} more keys are unknown and ignored`);
    return { ...read(root), warnings, errorAt };
  } catch (error) {
    if (error instanceof TomlError) {
      const [reason] = error.message.split('\n');
      throw new ConfigurationError(`${file}:${error.line}:${error.column}: ${reason}`);
    }
    if (!(error instanceof InvalidValue)) throw error;
    throw errorAt(error.path, error.message);
  }
}

function read(root: Table): Omit<Configuration, 'warnings' | 'errorAt'> {
  const server = root.table('server');
  const stderr = root.table('logging').table('stderr');
  const level = stderr.text('level');
  return {
    semaphores: semaphoresFromTable(root.table('semaphores')),
    logLevel:
      level === undefined
        ? undefined
        : stderr.check(['level'], () => logLevelFrom('logging.stderr.level', level)),
    token: server.check(['token'], () => checkToken('server.token', server.text('token'))),
    maxPeers: server.count('max_peers', 1),
    maxBlocked: server.count('max_blocked', 0),
    maxConnections: server.count('max_connections', 1),
    tls: tlsFrom(server),
  };
}

function semaphoresFromTable(table: Table): SemaphoresOptions {
  const semaphores = table.names.map((name) => [name, semaphoreFrom(table, name)] as const);
  return Object.fromEntries(semaphores);
}

function semaphoreFrom(table: Table, name: string): SemaphoreOptions {
  const value = table.value(name);
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isTable) return checked(table, [name], name, value as SemaphoreOptions);
  const { max, level = 0n } = value as { max: bigint; level?: bigint };
  checked(table, [name, 'max'], name, { max });
  return checked(table, [name, 'level'], name, { max, level });
}

/** Checks options as the library does, and adds their position in the file to the error. */
function checked(
  table: Table,
  path: readonly string[],
  name: string,
  options: SemaphoreOptions,
): SemaphoreOptions {
  table.check(path, () => semaphoresFrom({ [name]: options }));
  return options;
}

function tlsFrom(server: Table): Configuration['tls'] {
  const certificate = server.text('certificate');
  const key = server.text('key');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined)
    throw server.invalidValue(['certificate'], 'given with key', undefined);
  if (key === undefined) throw server.invalidValue(['key'], 'given with certificate', undefined);
  return { certificate, key };
}
