const { createServer } = require('node:http');

/** Responds with the trace of the request. Each kind of tracing has a way of its own to find it. */
module.exports = (traceId) =>
  createServer(async (req, res) => {
    if (req.url === '/slow') await (await fetch(process.env.BACKEND_URL)).text();
    res.end(traceId());
  }).listen(process.env.PORT, process.env.HOST);
