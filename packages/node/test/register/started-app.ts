import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from '@headgate/test-servers';
import { onTestFinished } from 'vitest';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const source = new URL('../../src/register/register.ts', import.meta.url);
const bundled = pathToFileURL(await bundle(source)).href;

interface Start {
  /** The program: an ES module, which prints the port of its server as its first line. */
  readonly app: string;
  /** Further files of its folder, which is its working directory. */
  readonly files?: Readonly<Record<string, string>>;
  readonly HEADGATE?: string;
  /** How often the hook is loaded. Default: once. */
  readonly times?: number;
  /** Its working directory. Default: a folder of its own. */
  readonly cwd?: string;
  /** Runs the sources, because packages of this repository are loaded at run time. Default: a bundle. */
  readonly fromSources?: boolean;
}

/** An app that knows nothing of Headgate, in a process with `--import @headgate/node/register`. */
export class StartedApp {
  readonly folder = mkdtempSync(join(tmpdir(), 'headgate-register-'));
  readonly #child: ChildProcess;
  #port: string | undefined;
  readonly #lines: AsyncIterator<string>;
  stderr = '';
  readonly exit: Promise<number | null>;

  constructor({ app, files = {}, HEADGATE, times = 1, cwd, fromSources }: Start) {
    for (const [name, text] of Object.entries({ ...files, 'app.mjs': app }))
      writeFileSync(join(this.folder, name), text);
    const hook = fromSources ? source.href : bundled;
    const hooks = Array.from({ length: times }, (_, copy) => `${hook}?${copy}`);
    const before = fromSources ? ['--conditions=headgate-source', '--import', tsx] : [];
    const imports = hooks.flatMap((url) => ['--import', url]);
    const { HEADGATE: _, ...env } = process.env;
    this.#child = spawn(process.execPath, [...before, ...imports, join(this.folder, 'app.mjs')], {
      cwd: cwd ?? this.folder,
      env: HEADGATE === undefined ? env : { ...env, HEADGATE },
      stdio: 'pipe',
    });
    this.#lines = createInterface({ input: this.#child.stdout as never })[Symbol.asyncIterator]();
    this.#child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    this.exit = once(this.#child, 'close').then(([code]) => code);
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.exit;
      rmSync(this.folder, { recursive: true });
    });
  }

  /** The next line that it prints. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`it has ended: ${this.stderr}`);
    return value;
  }

  /** The address of its server, which it prints first. */
  async url(path = '/'): Promise<string> {
    this.#port ??= await this.line();
    return `http://127.0.0.1:${this.#port}${path}`;
  }
}

export const testFolder = fileURLToPath(new URL('..', import.meta.url));
