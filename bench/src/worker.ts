import type { Part } from './part.ts';

const [module, name = ''] = process.argv.slice(2);
const { part } = (await import(`./${module}.js`)) as { part: Part };
const measurement = part.measurements[name];
if (!measurement) throw new Error(`${module} has no measurement called ${name}`);
const sample = await measurement();
process.on('message', async () => process.send?.(await sample()));
process.on('disconnect', () => process.exit());
process.send?.({});
