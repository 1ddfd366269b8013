import type { Setting } from '../distributed/contender.ts';
import { serve, settingOfParent } from '../distributed/serve.ts';
import { Tasks } from '../distributed/tasks.ts';
import { connect } from './connect.ts';
import { open } from './contenders.ts';

const setting = settingOfParent<Setting>();
const contender = await open(setting);
const client = await connect(setting.port);
serve(new Tasks(contender, () => client.query({ name: 'least', text: 'SELECT 1' })));
