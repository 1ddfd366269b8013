import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const names = ['core', 'express', 'koa', 'hono', 'web', 'redis', 'postgres'];

/** The installed size of each tested package in bytes, without its dependencies. */
export function sizesOf(project) {
  return names.map((name) => {
    const folder = join(project, 'node_modules/@headgate', name);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile())
      .map((file) => statSync(join(file.parentPath, file.name)).size);
    return {
      name: `@headgate/${name}`,
      files: sizes.length,
      bytes: sizes.reduce((a, b) => a + b, 0),
    };
  });
}
