import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.ts';
import { ServerProcess } from './process.ts';

/** A Worker, which runs in an isolate of its own. */
export interface WorkerOptions {
  /** The module that exports the Worker; it is bundled with its imports. */
  readonly program: URL;
  /** Files that replace imported modules. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Compatibility flags. */
  readonly flags?: readonly string[];
  /** Exported classes of Durable Objects. */
  readonly objects?: readonly string[];
  /** Bindings by their name: another Worker's name, a class of Durable Objects, or an HTTP server's port. */
  readonly bindings?: Readonly<Record<string, string | number | ObjectBinding>>;
}

interface ObjectBinding {
  /** The Worker that exports the class. */
  readonly worker: string;
  /** The name of the class. */
  readonly object: string;
}

/** A compatibility date: workerd behaves as it did on that day. */
const DATE = '2026-11-01';

/** In memory if possible: Durable Objects write to the disk in each request, which other tests would slow down. */
const ramOrDisk = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Resolved only when workerd is started: other tests run where this package is not installed. It has no types. */
function pathOfWorkerd(): string {
  const require = createRequire(import.meta.url);
  return (require('workerd') as { default: string }).default;
}

/** The runtime of Cloudflare Workers, `workerd serve`, which listens on a port of 127.0.0.1 for each Worker. */
export class WorkerdServer {
  #process: ServerProcess;

  static async start(workers: Readonly<Record<string, WorkerOptions>>): Promise<WorkerdServer> {
    const folder = await mkdtemp(join(ramOrDisk, 'headgate-workerd-'));
    await mkdir(join(folder, 'storage'));
    for (const [name, options] of Object.entries(workers)) {
      await writeFile(join(folder, `${name}.js`), await bundleWorker(options));
    }
    for (let attempt = 1; ; attempt++) {
      const ports: Record<string, number> = {};
      for (const name of Object.keys(workers)) ports[name] = await freePort();
      await writeFile(join(folder, 'config.capnp'), configuration(workers, ports));
      const process = await launch(folder, ports).catch((error: unknown) => error as Error);
      if (process instanceof ServerProcess) return new WorkerdServer(folder, ports, process);
      // Another test may have taken a port first.
      if (attempt < 3) continue;
      await rm(folder, { recursive: true, force: true });
      throw process;
    }
  }

  private constructor(
    private readonly folder: string,
    /** By the name of the Worker. */
    readonly ports: Readonly<Record<string, number>>,
    process: ServerProcess,
  ) {
    this.#process = process;
  }

  /** The port of the only Worker, or of the one with this name. */
  port(name = Object.keys(this.ports)[0] ?? ''): number {
    return this.ports[name] ?? 0;
  }

  /** Kills workerd with SIGKILL. The storage of its Durable Objects stays on disk. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Kills workerd if it is running, and starts it again with the same ports and storage. */
  async restart(): Promise<void> {
    await this.kill();
    this.#process = await launch(this.folder, this.ports);
  }

  /** Stops the responses until `thaw`; connections stay open. */
  freeze(): void {
    this.#process.signal('SIGSTOP');
  }

  thaw(): void {
    this.#process.signal('SIGCONT');
  }

  /** Stops workerd and removes its files. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Starts a real workerd with these Workers. */
export function startWorkerd(
  workers: Readonly<Record<string, WorkerOptions>>,
): Promise<WorkerdServer> {
  return WorkerdServer.start(workers);
}

async function bundleWorker({ program, aliases = {} }: WorkerOptions): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(program)],
    alias: { ...aliases },
    ...{ bundle: true, write: false, format: 'esm', target: 'es2022', logLevel: 'error' },
    ...{ conditions: ['headgate-source', 'workerd'], external: ['cloudflare:*', 'node:*'] },
  });
  return outputFiles[0]?.text ?? '';
}

function configuration(
  workers: Readonly<Record<string, WorkerOptions>>,
  ports: Readonly<Record<string, number>>,
): string {
  const names = Object.keys(workers);
  const services = names.map((name) => `(name = "${name}", worker = .${name})`);
  // The service for an HTTP server is named like its port.
  const servers = new Set(
    Object.values(workers)
      .flatMap(({ bindings = {} }) => Object.values(bindings))
      .filter((to) => typeof to === 'number'),
  );
  for (const port of servers) {
    services.push(`(name = "${port}", external = (address = "127.0.0.1:${port}", http = ()))`);
  }
  const sockets = names.map(
    (name) =>
      `(name = "${name}", address = "127.0.0.1:${ports[name]}", http = (), service = "${name}")`,
  );
  return [
    '@0xb1d5a64e0c3a8f27;',
    'using Workerd = import "/workerd/workerd.capnp";',
    'const config :Workerd.Config = (',
    `  services = [${services.join(', ')}, (name = "storage", disk = (path = "storage", writable = true))],`,
    `  sockets = [${sockets.join(', ')}],`,
    ');',
    ...Object.entries(workers).map(([name, options]) => definition(name, options)),
  ].join('\n');
}

function definition(name: string, { flags = [], objects = [], bindings = {} }: WorkerOptions) {
  const bound = Object.entries(bindings).map(([binding, to]) => {
    const value =
      typeof to === 'object'
        ? `durableObjectNamespace = (className = "${to.object}", serviceName = "${to.worker}")`
        : `service = "${to}"`;
    return `(name = "${binding}", ${value})`;
  });
  const classes = objects.map(
    (object) => `(className = "${object}", uniqueKey = "${name}-${object}", enableSql = true)`,
  );
  return [
    `const ${name} :Workerd.Worker = (`,
    `  modules = [(name = "main.js", esModule = embed "${name}.js")],`,
    `  compatibilityDate = "${DATE}", compatibilityFlags = ${JSON.stringify(flags)},`,
    `  bindings = [${bound.join(', ')}], durableObjectNamespaces = [${classes.join(', ')}],`,
    ...(objects.length > 0 ? ['  durableObjectStorage = (localDisk = "storage"),'] : []),
    ');',
  ].join('\n');
}

async function launch(
  folder: string,
  ports: Readonly<Record<string, number>>,
): Promise<ServerProcess> {
  const server = await ServerProcess.start({
    folder,
    program: { path: pathOfWorkerd(), env: {} },
    args: ['serve', '--experimental', 'config.capnp'],
    end: 'KILL',
  });
  try {
    for (const port of Object.values(ports)) {
      for (const end = Date.now() + 15_000; !(await accepts(port)); await delay(10)) {
        if (!server.alive) throw new Error('workerd ended at once');
        if (Date.now() > end) throw new Error(`workerd does not listen on port ${port}`);
      }
    }
  } catch (error) {
    await server.kill();
    throw error;
  }
  return server;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
