import type { Tab } from './tabs.ts';

/** How a package manager writes `npm install` and its option for development. */
const managers: readonly [label: string, command: string, development: string][] = [
  ['npm', 'npm install', '-D'],
  ['pnpm', 'pnpm add', '-D'],
  ['yarn', 'yarn add', '-D'],
  ['bun', 'bun add', '-d'],
];

const INSTALL = /^npm install (?=(?:-D )?[@\w])/;

/** Commands that each package manager writes in the same way. */
const COMMON = /^(?:node |mkdir |cd |$)/;

/** A block of commands for each package manager; empty if it installs nothing, or npm alone has its commands. */
export function installTabs(commands: string): readonly Tab[] {
  const lines = commands.trimEnd().split('\n');
  const isInstall = (line: string) => INSTALL.test(line) && !line.includes('../');
  if (!lines.some(isInstall)) return [];
  if (!lines.every((line) => isInstall(line) || COMMON.test(line))) return [];
  return managers.map(([label, command, development]) => ({
    label,
    text: commands.replace(/^npm install(?: (-D))?/gm, (_, flag) =>
      flag === undefined ? command : `${command} ${development}`,
    ),
  }));
}
