import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../output.ts';

/**
 * The lines of these files, one after the other. `-` is standard input; names that end in `.gz` are decompressed.
 *
 * @throws CommandError for a file that cannot be read.
 */
export async function* linesOf(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files) {
    try {
      for await (const line of createInterface({ input: open(file), crlfDelay: Infinity }))
        yield line;
    } catch (error) {
      throw new CommandError(`${file}: ${(error as Error).message}`, 1);
    }
  }
}

function open(file: string): Readable {
  if (file === '-') return process.stdin;
  const bytes = createReadStream(file);
  if (!file.endsWith('.gz')) return bytes;
  const text = createGunzip();
  bytes.on('error', (error) => text.destroy(error));
  return bytes.pipe(text);
}
