import { adapterSuite, basicTopics } from '@headgate/test-suite';
import type { Hono } from 'hono';
import { Hono as Oldest } from 'hono-oldest';
import { honoFramework } from './framework.ts';

adapterSuite(honoFramework('Hono 4.0.0', Oldest as unknown as typeof Hono), basicTopics);
