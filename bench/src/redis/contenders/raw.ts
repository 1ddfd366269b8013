import type { Open } from '../../distributed/contender.ts';
import { connect } from '../connect.ts';
import type { Command, RedisSetting } from './setting.ts';

/** Sends two given commands instead of an acquire and a release: the cost of the client and of Redis. */
export const raw: Open<RedisSetting> = async ({ port, commands: [acquire, release] = [] }) => {
  if (acquire === undefined || release === undefined) throw new Error('raw needs two commands');
  const client = await connect(port);
  const send = ([name, ...args]: Command) => client.call(name, ...args);
  return {
    acquire: async () => {
      await send(acquire);
      return { release: () => send(release) };
    },
  };
};

/** The minimum cost of a script. */
export const returnOne: Open<RedisSetting> = async (setting) => {
  const client = await connect(setting.port);
  const command: Command = ['evalsha', String(await client.script('LOAD', 'return 1')), '0'];
  client.disconnect();
  return raw({ ...setting, commands: [command, command] });
};
