import { execFileSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { attempt } from '../output.ts';

/** The environment variable that marks the processes of an app; children inherit it. */
export const MARK = 'HEADGATE_TRY';
/** The file descriptor that marks them, too: `env -i` removes the variable. */
export const MARK_FD = 3;

/**
 * Opens a file that no longer exists, for `MARK_FD`: Linux shows its former name, which contains the mark. Undefined if
 * nothing can be written there, as in a container whose files are read-only: the variable must do then.
 */
export function openMark(mark: string): number | undefined {
  const path = join(tmpdir(), `${MARK}=${mark}`);
  const file = attempt(() => openSync(path, 'w'));
  if (file !== undefined) unlinkSync(path);
  return file;
}

/** The processes that a command has started. */
export interface Tree {
  readonly mark: string;
  /** The process of the command, which leads a group; undefined if it has not started. */
  readonly leader?: number | undefined;
}

/** The running processes of a tree: those of its group, those with its mark, and their descendants. */
export function processesOf({ mark, leader }: Tree): number[] {
  const all = (process.platform === 'linux' ? rowsByProc : rowsByPs)().flatMap(
    ([id, parent, group, state, marks]) => {
      if (!state || state.startsWith('Z')) return [];
      const isMarked = marks?.includes(`${MARK}=${mark}`) === true;
      return [{ id: Number(id), parent: Number(parent), group: Number(group), isMarked }];
    },
  );
  const found = new Set<number>();
  const add = (id: number) => {
    if (id === process.pid || found.has(id)) return;
    found.add(id);
    for (const each of all) if (each.parent === id) add(each.id);
  };
  for (const { id, group, isMarked } of all)
    if (isMarked || id === leader || group === leader) add(id);
  return [...found];
}

/** Of each process: its id, its parent, its group, its state, and what may contain the mark. */
type Row = (string | undefined)[];

function rowsByProc(): Row[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map((id) => {
    const stat = readIfThere(`/proc/${id}/stat`);
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const marks = `${readIfThere(`/proc/${id}/environ`)} ${linkOf(`/proc/${id}/fd/${MARK_FD}`)}`;
    return [id, parent, group, state, marks];
  });
}

/** For macOS, where `-E` adds the environment to the command. */
function rowsByPs(): Row[] {
  const args = ['-axwwE', '-o', 'pid=,ppid=,pgid=,stat=,command='];
  const lines = execFileSync('ps', args, { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n');
  return lines.map((line) => [...line.trim().split(/\s+/, 4), line]);
}

/** A process that the kernel has not ended by then is waiting for a device. */
const MAX_KILLING = 5_000;

/** Ends all processes of a tree: with SIGTERM, and after `grace` milliseconds with SIGKILL. */
export async function endTree(tree: Tree, grace: number): Promise<void> {
  const begin = performance.now();
  if (grace > 0) signalAll(tree, 'SIGTERM');
  while (processesOf(tree).length > 0) {
    const time = performance.now() - begin;
    if (time > grace + MAX_KILLING) return;
    // Again and again: a process may start another one while it is looked for.
    if (time >= grace) signalAll(tree, 'SIGKILL');
    await setTimeout(50);
  }
}

function signalAll(tree: Tree, signal: NodeJS.Signals): void {
  for (const id of processesOf(tree)) attempt(() => process.kill(id, signal));
}

/** The TCP ports on which processes of a tree listen. */
export function portsOf(tree: Tree): number[] {
  const ids = processesOf(tree);
  return [...new Set(process.platform === 'linux' ? portsByProc(ids) : portsByLsof(ids))];
}

function portsByProc(ids: readonly number[]): number[] {
  const sockets = new Set(ids.flatMap(socketsOf));
  const lines = ['tcp', 'tcp6'].flatMap((name) => readIfThere(`/proc/net/${name}`).split('\n'));
  return lines.flatMap((line) => {
    const [, local, , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const isListening = state === '0A' && sockets.has(inode);
    return isListening ? [Number.parseInt(local?.split(':')[1] ?? '', 16)] : [];
  });
}

function socketsOf(id: number): string[] {
  const links = attempt(() => readdirSync(`/proc/${id}/fd`)) ?? [];
  return links.flatMap((fd) => /^socket:\[(\d+)\]/.exec(linkOf(`/proc/${id}/fd/${fd}`))?.[1] ?? []);
}

function portsByLsof(ids: readonly number[]): number[] {
  const args = ['-nP', '-a', '-p', ids.join(','), '-iTCP', '-sTCP:LISTEN', '-Fn'];
  // It fails if it finds nothing.
  const names = attempt(() => execFileSync('lsof', args, { encoding: 'utf8' })) ?? '';
  return [...names.matchAll(/^n.*:(\d+)$/gm)].map(([, port]) => Number(port));
}

/** The texts of files; empty if the process has ended, or belongs to another user. */
const readIfThere = (path: string) => attempt(() => readFileSync(path, 'latin1')) ?? '';
const linkOf = (path: string) => attempt(() => readlinkSync(path)) ?? '';
