import { generate } from 'selfsigned';

const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
});

/** A self-signed certificate for 127.0.0.1, generated for each test file. Only clients that are given it trust it. */
export const certificate = { cert, key };
