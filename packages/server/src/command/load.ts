import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import {
  type Configuration,
  ConfigurationError,
  parseConfiguration,
} from '../configuration/configuration.ts';
import { type LogLevel, logLevelFrom } from '../configuration/log-level.ts';
import type { ListenOptions } from '../http/listen-options.ts';

/**
 * Reads the configuration file.
 *
 * @param isOptional Whether a missing file counts as an empty one.
 */
export async function loadConfiguration(path: string, isOptional: boolean): Promise<Configuration> {
  return parseConfiguration(await textOf(path, isOptional), path);
}

async function textOf(path: string, isOptional: boolean): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || !isOptional) throw new ConfigurationError(`${path}: ${message}`);
    process.stderr.write(`${path} not found => Using empty default configuration.\n`);
    return '';
  }
}

/**
 * Reads the certificate and the key that the configuration names, if any.
 *
 * @throws ConfigurationError if either cannot be read or is invalid.
 */
export async function loadTls({ tls, errorAt }: Configuration): Promise<ListenOptions['tls']> {
  if (tls === undefined) return undefined;
  const fail = (name: string) => (error: unknown) => {
    throw errorAt(['server', name], `server.${name}: ${(error as Error).message}`);
  };
  const cert = await readFile(tls.certificate).catch(fail('certificate'));
  const key = await readFile(tls.key).catch(fail('key'));
  // Checked separately, since Node's error for an invalid certificate or key does not name the file.
  await check({ cert }).catch(fail('certificate'));
  await check({ cert, key }).catch(fail('key'));
  return { cert, key };
}

async function check(options: SecureContextOptions): Promise<void> {
  createSecureContext(options);
}

/** `THROTTLE_LOG` overrides the file. Default: `warn`. */
export function logLevelOf({ logLevel = 'warn' }: Configuration): LogLevel {
  const { THROTTLE_LOG } = process.env;
  return THROTTLE_LOG ? logLevelFrom('THROTTLE_LOG', THROTTLE_LOG) : logLevel;
}
