import { Redis } from 'ioredis';
import type { Command } from './contenders/setting.ts';

/** Records the commands that all clients of this process send, until it is stopped. */
export function recordCommands(): { recorded: Command[]; stop(): void } {
  const recorded: Command[] = [];
  const { sendCommand } = Redis.prototype;
  Redis.prototype.sendCommand = function (this: Redis, command, stream) {
    recorded.push([command.name, ...command.args.flat().map(String)]);
    return sendCommand.call(this, command, stream);
  };
  const stop = () => {
    Redis.prototype.sendCommand = sendCommand;
  };
  return { recorded, stop };
}
