import { adapterSuite } from '@headgate/test-suite';
import type express from 'express';
import express4 from 'express4';
import { expressFramework } from './framework.ts';

adapterSuite(expressFramework('Express 4', express4 as unknown as typeof express));
