import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { parse } from 'lossless-json';
import { parseDuration } from '../duration.ts';

/** Maximum size of a body in bytes: enough to restore a peer with a thousand locks. */
const MAX_BODY_BYTES = 65_536;

const MAX_ID = 2n ** 64n - 1n;
const MAX_COUNT = 2n ** 63n - 1n;
const json = /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;|$)/i;

export function refuse(status: 400 | 413 | 415 | 422, message: string): never {
  throw new HTTPException(status, { message });
}

/** Reads a path parameter. Answers 400 if it exceeds 64 bits. */
export function peerIdOf(c: Context): bigint {
  const text = c.req.param('id') ?? '';
  const id = /^\+?\d{1,40}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (id === undefined || id > MAX_ID) refuse(400, 'A peer id must be a whole number of 64 bits.');
  return id;
}

/** Reads a query parameter. Answers 400 if it is given more than once. */
export function queryOf(c: Context, name: string): string | undefined {
  const values = c.req.queries(name);
  if (values !== undefined && values.length > 1) refuse(400, `There is more than one ${name}.`);
  return values?.[0];
}

/** Reads a duration in milliseconds. Answers 400 for anything else. */
export function durationOf(c: Context, name: string): number | undefined {
  const text = queryOf(c, name);
  if (text === undefined) return undefined;
  return parseDuration(text) ?? refuse(400, `${name} must be a duration such as 5m or 1h 30m.`);
}

/** Whole numbers are bigints, because a peer id may exceed what a number can represent. */
export type Json = null | boolean | string | number | bigint | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

/** Reads a JSON text. Answers 413 if it is longer than `maxBytes`, and 415 if its type is not JSON. */
export async function textOf(c: Context, maxBytes = MAX_BODY_BYTES): Promise<string> {
  if (!json.test(c.req.header('content-type') ?? '')) {
    refuse(415, 'Expected a body with `Content-Type: application/json`.');
  }
  await checkLength(c, maxBytes);
  return c.req.text();
}

/** Parses the body. Answers as `textOf` does, and 400 if it is not valid JSON. */
export async function bodyOf(c: Context): Promise<Json> {
  const text = await textOf(c);
  try {
    return parse(text, undefined, { parseNumber }) as Json;
  } catch (error) {
    return refuse(400, `The body is not valid JSON: ${(error as Error).message.slice(0, 100)}`);
  }
}

/** Parses the body, which must be an object. Answers 422 for anything else. */
export async function fieldsOf(c: Context): Promise<JsonObject> {
  return objectFrom(await bodyOf(c), 'The body');
}

/**
 * Checks the length of the body. Counts its bytes only if the client has not declared the length, because counting
 * costs a stream.
 */
async function checkLength(c: Context, maxBytes: number): Promise<void> {
  const length = c.req.header('content-length');
  const isDeclared = length !== undefined && c.req.header('transfer-encoding') === undefined;
  const tooLarge = () => refuse(413, `The body must not exceed ${maxBytes} bytes.`);
  if (!isDeclared) await bodyLimit({ maxSize: maxBytes, onError: tooLarge })(c, async () => {});
  else if (Number(length) > maxBytes) tooLarge();
}

function parseNumber(text: string): number | bigint {
  return /^-?\d{1,20}$/.test(text) ? BigInt(text) : Number(text);
}

/** Reads a count. Answers 422 unless it is a whole number of 64 bits. */
export function countFrom(value: Json | undefined): bigint {
  const isCount = typeof value === 'bigint' && value <= MAX_COUNT && value >= -MAX_COUNT - 1n;
  return isCount ? value : refuse(422, 'A count must be a whole number of 64 bits.');
}

function objectFrom(value: Json | undefined, what: string): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : refuse(422, `${what} must be an object.`);
}

/** The peer's remaining lifetime in milliseconds, from the field `expires_in`. */
export function expiryFrom(body: JsonObject): number {
  const text = own(body, 'expires_in');
  const expiresIn = typeof text === 'string' ? parseDuration(text) : undefined;
  return expiresIn ?? refuse(422, 'expires_in must be a duration such as "5m" or "1h 30m".');
}

export function idFrom(body: JsonObject): bigint {
  const id = own(body, 'peer_id');
  const isId = typeof id === 'bigint' && id >= 0n && id <= MAX_ID;
  return isId ? id : refuse(422, 'peer_id must be a whole number of 64 bits.');
}

/** The counts by the semaphore's name. */
export function locksFrom(body: JsonObject): Map<string, bigint> {
  const locks = Object.entries(objectFrom(own(body, 'acquired'), 'acquired'));
  return new Map(locks.map(([semaphore, count]) => [semaphore, countFrom(count)]));
}

function own(body: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}
