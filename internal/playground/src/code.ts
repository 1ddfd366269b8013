import type { Settings } from './settings.ts';

/** The order as options of the middleware, and what they import. */
const orders: Readonly<Record<Settings['order'], { imports: string[]; options: string[] }>> = {
  fifo: { imports: [], options: [] },
  lifo: { imports: ['lifo'], options: ['order: lifo()'] },
  byPriority: {
    imports: [],
    options: ["priority: (req) => (req.path.startsWith('/checkout') ? 'critical' : 'normal')"],
  },
  fair: {
    imports: ['ipKey'],
    options: [
      '// Or the tenant that your authentication has found.\n  fairBy: (req) => ipKey(req.ip)',
    ],
  },
};

function optionsOf({ limit, order, fixed, queueLimit, queueTimeout }: Settings): string[] {
  const own = [`limit: ${fixed}`, `queueLimit: ${queueLimit}`, `queueTimeout: ${queueTimeout}`];
  return [...(limit === 'fixed' ? own : []), ...orders[order].options];
}

function callOf(options: readonly string[]): string {
  if (options.length === 0) return 'concurrencyLimit()';
  return `concurrencyLimit({\n${options.map((option) => `  ${option},\n`).join('')}})`;
}

/** An application with the limit whose code is shown, to copy. */
export function codeOf(settings: Settings): string {
  const server = "import express from 'express';\n\nconst app = express();\n";
  if (settings.limit === 'none') return `${server}// No limit: every request starts at once.\n`;
  const names = ['concurrencyLimit', ...orders[settings.order].imports].join(', ');
  const call = callOf(optionsOf(settings));
  return `import { ${names} } from '@headgate/express';\n${server}app.use(${call});\n`;
}
