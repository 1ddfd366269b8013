import { adapterSuite } from '@headgate/test-suite';
import { Hono } from 'hono';
import { honoFramework } from './framework.ts';

adapterSuite(honoFramework('Hono 4', Hono));
