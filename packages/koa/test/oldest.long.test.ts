import { adapterSuite, basicTopics } from '@headgate/test-suite';
import Koa2 from 'koa2-oldest';
import Koa3 from 'koa3-oldest';
import { koaFramework } from './framework.ts';

adapterSuite(koaFramework('Koa 2.15.0', Koa2), basicTopics);
adapterSuite(koaFramework('Koa 3.0.0', Koa3), basicTopics);
