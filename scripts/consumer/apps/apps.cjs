const { checkAll } = require('./check-all.cjs');

checkAll(async (name) => require(name));
