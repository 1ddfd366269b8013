import { generate } from 'selfsigned';

const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
});

/** Of 127.0.0.1, made anew for each file of tests, and trusted by nobody who is not told to. */
export const certificate = { cert, key };
