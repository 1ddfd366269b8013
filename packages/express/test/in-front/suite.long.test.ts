import { inFrontSuite } from '@headgate/test-kit/in-front';
import express, { type RequestHandler } from 'express';
import { expressFramework } from '../framework.ts';

inFrontSuite(expressFramework('Express 5', express), {
  inside: (limit): RequestHandler => {
    return (req, res, next) => limit(() => next())(req, res);
  },
});
