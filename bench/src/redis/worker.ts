import { serve, settingOfParent } from '../distributed/serve.ts';
import { connect } from './connect.ts';
import type { RedisSetting } from './contenders/setting.ts';
import { open } from './contenders.ts';
import { RedisTasks } from './tasks.ts';

const setting = settingOfParent<RedisSetting>();
const contender = await open(setting);
const client = await connect(setting.port);
serve(new RedisTasks(contender, () => client.ping()));
