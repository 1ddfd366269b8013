import { adapterSuite } from '@headgate/test-suite';
import express from 'express';
import { expressFramework } from './framework.ts';

adapterSuite(expressFramework('Express 5', express));
