import { readFileSync } from 'node:fs';

/** Files of the build are as deep below it as this one. */
export const packageFolder = new URL('../', import.meta.url);

const manifest = readFileSync(new URL('package.json', packageFolder), 'utf8');

export const version: string = JSON.parse(manifest).version;
