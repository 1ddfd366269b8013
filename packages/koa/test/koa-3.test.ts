import { adapterSuite } from '@headgate/test-suite';
import Koa from 'koa';
import { koaFramework } from './framework.ts';

adapterSuite(koaFramework('Koa 3', Koa));
