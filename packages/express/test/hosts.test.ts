import { hostSuite } from '@headgate/test-kit/host-suite';
import express from 'express';
import express4 from 'express4';
import { expressFramework } from './framework.ts';

hostSuite(expressFramework('Express 5', express));
hostSuite(expressFramework('Express 4', express4 as unknown as typeof express));
