import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './ports.ts';
import { ServerProcess } from './process.ts';
import { findProgram } from './programs.ts';

export interface PrometheusTarget {
  /** The port on 127.0.0.1 whose `/metrics` it scrapes. */
  readonly port: number;
  /** The name of its service. Default: a name of its own. */
  readonly job?: string;
  /** `metric_relabel_configs` of its job. */
  readonly relabel?: readonly object[];
}

export interface PrometheusOptions {
  readonly targets: readonly PrometheusTarget[];
  /** Alert rules, as the text of a file. */
  readonly rules: string;
}

/** One series in the result of a query. */
export interface PrometheusSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly warnings?: readonly string[];
  readonly infos?: readonly string[];
  readonly data: unknown;
}

/** How often it scrapes, and evaluates the rules. */
const INTERVAL = '500ms';

/** A real Prometheus on 127.0.0.1. */
export class PrometheusServer {
  readonly #url: string;
  readonly #folder: string;
  readonly #process: ServerProcess;

  constructor(url: string, folder: string, process: ServerProcess) {
    this.#url = url;
    this.#folder = folder;
    this.#process = process;
  }

  /** Evaluates a query at the present time. @throws Error if the query is invalid, or if Prometheus warns about it. */
  async query(expr: string): Promise<PrometheusSeries[]> {
    const { result } = (await this.#get(`query?query=${encodeURIComponent(expr)}`)) as {
      result: readonly { metric: Record<string, string>; value: readonly [number, string] }[];
    };
    return result.map(({ metric: labels, value }) => ({ labels, value: Number(value[1]) }));
  }

  /** The labels of each alert that is firing, including its name as `alertname`. */
  async firing(): Promise<Record<string, string>[]> {
    const { alerts } = (await this.#get('alerts')) as {
      alerts: readonly { state: string; labels: Record<string, string> }[];
    };
    return alerts.flatMap(({ state, labels }) => (state === 'firing' ? [labels] : []));
  }

  /** The type of each metric that it has scraped, by name. */
  async types(): Promise<ReadonlyMap<string, string>> {
    const data = (await this.#get('metadata')) as Record<string, readonly { type: string }[]>;
    return new Map(Object.entries(data).map(([name, [one]]) => [name, one?.type ?? '']));
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.#url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  get alive(): boolean {
    return this.#process.alive;
  }

  async stop(): Promise<void> {
    await this.#process.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #get(path: string): Promise<unknown> {
    const answer = (await (await fetch(`${this.#url}/api/v1/${path}`)).json()) as Answer;
    const { status, error, warnings = [], infos = [], data } = answer;
    const problems = [...(error === undefined ? [] : [error]), ...warnings, ...infos];
    if (status === 'success' && problems.length === 0) return data;
    throw new Error(`${decodeURIComponent(path)}: ${problems.join('; ')}`);
  }
}

/** Starts a real Prometheus that no other test uses. */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-prometheus-'));
  const port = await freePort();
  await writeFile(join(folder, 'prometheus.yml'), configuration(options));
  await writeFile(join(folder, 'rules.yml'), options.rules);
  const process = await ServerProcess.start({
    ...{ folder, program: findProgram('prometheus'), end: 'KILL' },
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
  });
  const server = new PrometheusServer(`http://127.0.0.1:${port}`, folder, process);
  for (const end = Date.now() + 20_000; !(await server.isReady()); await delay(20)) {
    if (server.alive && Date.now() < end) continue;
    await server.stop();
    throw new Error('prometheus does not run');
  }
  return server;
}

/** JSON is YAML as well. */
function configuration({ targets }: PrometheusOptions): string {
  return JSON.stringify({
    global: { scrape_interval: INTERVAL, scrape_timeout: INTERVAL, evaluation_interval: INTERVAL },
    rule_files: ['rules.yml'],
    scrape_configs: targets.map(({ port, job = `port ${port}`, relabel }) => ({
      job_name: `port ${port}`,
      static_configs: [{ targets: [`127.0.0.1:${port}`], labels: { job } }],
      metric_relabel_configs: relabel,
    })),
  });
}

/**
 * Runs `promtool`, which is next to Prometheus, and resolves with its output.
 *
 * @throws Error with the output, if it fails.
 */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { path, env } = findProgram('prometheus');
  const options = { env: { ...process.env, ...env } };
  const { stdout, stderr } = await promisify(execFile)(
    join(dirname(path), 'promtool'),
    [...args],
    options,
  ).catch((error: { stdout?: string; message: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`);
  });
  return stdout + stderr;
}
