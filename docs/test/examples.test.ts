import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read, root } from './pages.ts';

const folders = ['examples/express', 'examples/ai-gateway'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);
const servers = files.filter((file) => read(file).includes("from 'express'"));

it.each(servers)(
  '%s fails if it cannot listen: Express 5 calls the callback of listen() with the error',
  (file) => {
    expect(read(file)).toMatch(/\bapp\.listen\(port\)/);
  },
);
