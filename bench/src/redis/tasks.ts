import { Tasks } from '../distributed/tasks.ts';
import type { Command } from './contenders/setting.ts';
import { recordCommands } from './recording.ts';

export class RedisTasks extends Tasks {
  /** Records the commands of one acquire and one release. */
  async record(): Promise<Command[]> {
    const { recorded, stop } = recordCommands();
    await this.pass();
    stop();
    return recorded;
  }
}
