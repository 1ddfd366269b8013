// A process that creates the tables when it starts.
import { postgresStore } from '@headgate/postgres';

const [connect = '', schema] = process.argv.slice(2);
await postgresStore({ connect, schema }).migrate();
