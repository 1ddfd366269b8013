import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { expect, it, onTestFinished } from 'vitest';
import { vulnerabilitiesOf } from '../../pack/vulnerabilities.mjs';

/** A project that has installed version 1.0.0 of `parser`. */
function project(): string {
  const folder = temporaryFolder();
  const manifest = { name: 'app', version: '1.0.0', dependencies: { parser: '1.0.0' } };
  const packages = { '': manifest, 'node_modules/parser': { version: '1.0.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const lock = { name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  return folder;
}

/** Audits the project with a registry that gives this answer to each audit. */
async function auditWith(status: number, advisories: unknown): Promise<string[] | undefined> {
  const versions = { '1.0.0': { name: 'parser', version: '1.0.0' } };
  const parser = { name: 'parser', versions, 'dist-tags': { latest: '1.0.0' } };
  const server = createServer((req, res) => {
    res.writeHead(req.method === 'POST' ? status : 200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(req.method === 'POST' ? advisories : parser));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const npm_config_registry = `http://127.0.0.1:${port}/`;
  return vulnerabilitiesOf(project(), { ...process.env, npm_config_registry });
}

const advisory = {
  id: 1,
  url: 'https://localhost/1',
  title: 'Takes forever',
  severity: 'high',
  vulnerable_versions: '<2.0.0',
};

it('an audit names the packages with a known vulnerability', async () => {
  expect(await auditWith(200, { parser: [advisory] })).toEqual([
    'parser has a vulnerability: high (npm audit)',
  ]);
});

it('an audit without a finding is empty', async () => {
  expect(await auditWith(200, {})).toEqual([]);
});

it('a registry that answers no audits is not taken for one without findings', async () => {
  expect(await auditWith(405, {})).toBeUndefined();
});
