import { hostSuite } from '@headgate/test-kit/host-suite';
import Koa from 'koa';
import { koaFramework } from './framework.ts';

hostSuite(koaFramework('Koa 3', Koa));
