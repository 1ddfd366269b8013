import pg from 'pg';

export const configOf = (port: number) =>
  ({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' }) as const;

export async function connect(port: number): Promise<pg.Client> {
  const client = new pg.Client(configOf(port));
  await client.connect();
  return client;
}
