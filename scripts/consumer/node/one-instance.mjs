// import and require() load the same modules: each export of each entry point is the same object.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const scope = new URL('../node_modules/@headgate/', import.meta.url);
let compared = 0;

for (const name of readdirSync(scope)) {
  // It defines tests, so it can only be loaded in vitest.
  if (name === 'test-suite') continue;
  const { exports } = require(`${scope.pathname}${name}/package.json`);
  for (const entry of Object.keys(exports)) {
    const specifier = `@headgate/${name}${entry.slice(1)}`;
    const required = require(specifier);
    for (const [key, value] of Object.entries(await import(specifier))) {
      assert.equal(required[key], value, `${specifier}: ${key}`);
      compared += 1;
    }
  }
}

assert.ok(compared > 50, `only ${compared} exports`);
console.log(`${compared} exports are the same from import and require().`);
