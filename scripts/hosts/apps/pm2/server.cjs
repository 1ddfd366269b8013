const { createServer } = require('node:http');

createServer(async (req, res) => {
  if (req.url === '/slow') await (await fetch(process.env.BACKEND_URL)).text();
  res.end('Hello from the page');
}).listen(process.env.PORT, process.env.HOST);
