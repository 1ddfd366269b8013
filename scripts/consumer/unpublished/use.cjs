const assert = require('node:assert/strict');
const { RejectedError } = require('@headgate/core');
const express = require('@headgate/express');

assert.equal(express.concurrencyLimit({ limit: 2 }).holders, 0);
assert.equal(express.RejectedError, RejectedError);
