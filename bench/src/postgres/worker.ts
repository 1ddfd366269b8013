import type { Setting } from '../sharing/contender.ts';
import { serve, settingOfParent } from '../sharing/serve.ts';
import { Tasks } from '../sharing/tasks.ts';
import { connect } from './connect.ts';
import { open } from './contenders.ts';

const setting = settingOfParent<Setting>();
const contender = await open(setting);
const client = await connect(setting.port);
serve(new Tasks(contender, () => client.query({ name: 'least', text: 'SELECT 1' })));
