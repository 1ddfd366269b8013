import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { HeadgateError } from '@headgate/core';
import { invalid } from '@headgate/core/options';

/** Where the configuration is looked for in the working directory, in this order. */
const fileNames = ['js', 'mjs', 'cjs', 'json'].map((ending) => `headgate.config.${ending}`);

export interface Configuration {
  /** `HEADGATE`, or the path of the file; undefined if there is no configuration. */
  readonly source: string | undefined;
  readonly options: object;
}

/**
 * The configuration of this process: `HEADGATE` as JSON or as the path of a file, or else the file in the working
 * directory. Undefined if `HEADGATE` is `off`.
 *
 * @throws HeadgateError for JSON or a file that cannot be read, and for another value.
 */
export function readConfiguration(
  value = process.env.HEADGATE,
  folder = process.cwd(),
): Configuration | undefined {
  const text = value?.trim();
  if (text?.toLowerCase() === 'off') return undefined;
  if (text?.startsWith('{')) return readFrom('HEADGATE', () => JSON.parse(text));
  const named = text ? resolve(folder, text) : undefined;
  if (named !== undefined && !existsSync(named)) {
    const expected = 'off, JSON or the path of a file';
    throw withoutStack(invalid('HEADGATE', expected, text, 'ERR_HEADGATE_CONFIGURATION'));
  }
  const path = named ?? fileNames.map((name) => resolve(folder, name)).find(existsSync);
  if (path === undefined) return { source: undefined, options: {} };
  return readFrom(relative(folder, path), () => exportOf(createRequire(path)(path)));
}

function readFrom(source: string, read: () => unknown): Configuration {
  let options: unknown;
  try {
    options = read();
  } catch (error) {
    throw wrongIn(source, error instanceof Error ? error.message : String(error));
  }
  if (typeof options === 'object' && options !== null) return { source, options };
  throw wrongIn(source, `expected an object, got ${typeof options}`);
}

/** The default export of an ES module, or what a CommonJS module or a JSON file contains. */
function exportOf(loaded: unknown): unknown {
  if (typeof loaded !== 'object' || loaded === null) return loaded;
  return 'default' in loaded ? loaded.default : loaded;
}

/** The error for an invalid configuration in this variable or file. */
export function wrongIn(source: string, reason: string): HeadgateError {
  const message = `${source}: ${reason}`;
  return withoutStack(new HeadgateError('ERR_HEADGATE_CONFIGURATION', message));
}

/** The stack would show this package rather than the mistake. */
function withoutStack(error: HeadgateError): HeadgateError {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
