import { createSecureServer } from 'node:http2';
import { generate } from 'selfsigned';
import { listener } from './routes.js';

const { private: key, cert } = await generate();
createSecureServer({ key, cert, allowHTTP1: true }, listener).listen(
  process.env.PORT,
  process.env.HOST,
);
