import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { HeadgateError } from '@headgate/core';

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
 * @throws HeadgateError for JSON or a file that cannot be read.
 */
export function readConfiguration(
  value = process.env.HEADGATE,
  folder = process.cwd(),
): Configuration | undefined {
  const text = value?.trim();
  if (text === 'off') return undefined;
  if (text?.startsWith('{')) return readFrom('HEADGATE', () => JSON.parse(text));
  const named = text ? resolve(folder, text) : undefined;
  const path = named ?? fileNames.map((name) => resolve(folder, name)).find(existsSync);
  if (path === undefined) return { source: undefined, options: {} };
  return readFrom(relative(folder, path), () => exportOf(createRequire(path)(path)));
}

function readFrom(source: string, read: () => unknown): Configuration {
  let options: unknown;
  try {
    options = read();
  } catch (error) {
    throw unreadable(source, error instanceof Error ? error.message : String(error));
  }
  if (typeof options === 'object' && options !== null) return { source, options };
  throw unreadable(source, `expected an object, got ${typeof options}`);
}

/** The default export of an ES module, or what a CommonJS module or a JSON file contains. */
function exportOf(loaded: unknown): unknown {
  if (typeof loaded !== 'object' || loaded === null) return loaded;
  return 'default' in loaded ? loaded.default : loaded;
}

function unreadable(source: string, reason: string): HeadgateError {
  const message = `the configuration cannot be read from ${source}: ${reason}`;
  return new HeadgateError('ERR_HEADGATE_CONFIGURATION', message);
}
