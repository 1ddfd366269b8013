// Prints the SQL of `store.migrate()`, for people who run their migrations themselves.
import { parseArgs } from 'node:util';
import { migration } from './migration.ts';
import { checkSchema } from './schema.ts';

const usage = 'usage: headgate-postgres [--schema <name>]   prints the SQL that the store needs';

try {
  const { values } = parseArgs({
    options: {
      schema: { type: 'string', default: 'headgate' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  process.stdout.write(values.help ? `${usage}\n` : migration(checkSchema(values.schema)));
} catch (error) {
  console.error(`${(error as Error).message}\n${usage}`);
  process.exitCode = 1;
}
