import httpProxy from 'http-proxy';

httpProxy
  .createProxyServer({ target: process.env.TARGET_URL })
  .on('error', (_error, _req, res) => res.destroy())
  .listen(process.env.PORT, process.env.HOST);
