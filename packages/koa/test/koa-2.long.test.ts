import { adapterSuite } from '@headgate/test-suite';
import type Koa from 'koa';
import Koa2 from 'koa2';
import { koaFramework } from './framework.ts';

adapterSuite(koaFramework('Koa 2', Koa2 as unknown as typeof Koa));
