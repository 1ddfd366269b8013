import { generate } from 'selfsigned';

/** Creates a self-signed certificate for 127.0.0.1. Only clients that are given it trust it. */
export async function createCertificate(): Promise<{
  readonly cert: string;
  readonly key: string;
}> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}
