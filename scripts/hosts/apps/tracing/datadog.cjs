const tracer = require('dd-trace');
const serve = require('./server.cjs');

serve(() => tracer.scope().active()?.context().toTraceId(true));
