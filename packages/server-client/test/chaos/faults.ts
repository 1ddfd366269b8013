import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, forgetting, freeze, onServers, partOfLease } from '@headgate/chaos';
import type { Service } from '../service.ts';

/** The faults of the service. Its state is in memory: it forgets everything when it ends, in whatever way. */
export function faultsOf(service: Service): Fault[] {
  return [
    onServers('freeze the service', (context) => freeze(service, context)),
    {
      ...onServers('reload the configuration', () => service.configure({ lock: 1 })),
      harmless: true,
    },
    forgetting(onServers('restart the service', () => service.restart('SIGTERM'))),
    forgetting(onServers('kill the service', () => service.restart())),
    forgetting(
      onServers('stop the service for a while', async (context) => {
        await service.kill();
        await sleep(partOfLease(context));
        await service.launch();
      }),
    ),
  ];
}
