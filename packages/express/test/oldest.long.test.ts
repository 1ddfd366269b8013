import { adapterSuite, basicTopics } from '@headgate/test-suite';
import express4 from 'express4-oldest';
import express5 from 'express5-oldest';
import { expressFramework } from './framework.ts';

adapterSuite(expressFramework('Express 4.18.0', express4), basicTopics);
adapterSuite(expressFramework('Express 5.0.0', express5), basicTopics);
