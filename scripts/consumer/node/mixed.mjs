// Bundled, with some modules that import the packages and some that require them.
import assert from 'node:assert/strict';
import { RejectedError } from '@headgate/core';
import { concurrencyLimit, RejectedError as RejectedByExpress } from '@headgate/express';
import { core, express } from './required.cjs';

assert.equal(RejectedByExpress, RejectedError);
assert.equal(core.RejectedError, RejectedError);
assert.equal(express.RejectedError, RejectedError);
assert.equal(express.concurrencyLimit, concurrencyLimit);
