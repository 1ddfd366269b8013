import { defaultLimit, ipKey, type Priority } from '@headgate/core/app';
import { checkNames, invalid, priorities } from '@headgate/core/options';
import type { ConcurrencyLimitOptions } from '../limited-listener.ts';
import type { Message } from '../message.ts';
import { type MatchesPath, pathPattern } from './path-patterns.ts';

type Options = ConcurrencyLimitOptions<Message>;
type Key = (req: Message) => string | undefined;

/**
 * Converts a configuration to options. What a JSON file cannot contain has a form without functions: `skip`, `priority`,
 * `key`, and `"limit": "default"` for the default limit. All other options are those of `concurrencyLimit`.
 *
 * @throws HeadgateError for an invalid value of these; `concurrencyLimit` checks the others.
 */
export function optionsOf(configuration: object): Options {
  const { skip, priority, limits, ...others } = configuration as Record<string, unknown>;
  const options = {
    ...limitOf(others, ''),
    ...(skip === undefined ? {} : { skip: skipOf(skip) }),
    ...(priority === undefined ? {} : { priority: priorityOf(priority) }),
    ...(limits === undefined ? {} : { limits: limitsOf(limits) }),
  };
  return options as Options;
}

function limitsOf(limits: unknown): unknown {
  if (!Array.isArray(limits)) return limits;
  return limits.map((each, index) => (isObject(each) ? limitOf(each, `limits[${index}].`) : each));
}

function limitOf({ key, limit, ...others }: Record<string, unknown>, owner: string): object {
  return {
    ...others,
    ...(key === undefined ? {} : { key: keyOf(key, `${owner}key`) }),
    ...(limit === undefined ? {} : { limit: limit === 'default' ? defaultLimit() : limit }),
  };
}

function skipOf(skip: unknown): unknown {
  if (typeof skip === 'function') return skip;
  if (!Array.isArray(skip)) throw invalid('skip', 'an array of paths, or a function', skip);
  const patterns = skip.map((pattern, index) => pathPattern(`skip[${index}]`, pattern));
  return (req: Message) => patterns.some((matches) => matches(req.url as string));
}

function priorityOf(priority: unknown): unknown {
  if (typeof priority === 'function') return priority;
  if (!isObject(priority)) throw invalid('priority', 'an object, or a function', priority);
  checkNames('priority', priority, ['paths', 'header']);
  const { paths = {}, header } = priority;
  if (!isObject(paths)) throw invalid('priority.paths', 'an object with paths as names', paths);
  const patterns = Object.entries(paths).map(([pattern, each]): [MatchesPath, unknown] => [
    pathPattern('priority.paths', pattern),
    checkedPriority(`priority.paths["${pattern}"]`, each),
  ]);
  const byHeader = header === undefined ? undefined : headerOf(header, 'priority.header');
  return (req: Message) => {
    const match = patterns.find(([matches]) => matches(req.url as string));
    if (match !== undefined) return match[1];
    const sent = byHeader?.(req);
    // Not an error, since the client or the proxy that sends it cannot read it.
    return isPriority(sent) ? sent : undefined;
  };
}

function keyOf(key: unknown, option: string): unknown {
  if (typeof key === 'function') return key;
  if (key === 'address') return (req: Message) => ipKey(req.socket?.remoteAddress);
  if (!isObject(key)) throw invalid(option, '"address", { "header": … }, or a function', key);
  checkNames(option, key, ['header']);
  return headerOf(key.header, `${option}.header`);
}

function headerOf(name: unknown, option: string): Key {
  if (typeof name !== 'string' || !/^[\w-]+$/.test(name))
    throw invalid(option, 'the name of a header field', name);
  const field = name.toLowerCase();
  return (req) => req.headers[field]?.toString();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isPriority(value: unknown): value is Priority {
  return priorities.includes(value as Priority);
}

function checkedPriority(option: string, value: unknown): Priority {
  if (isPriority(value)) return value;
  throw invalid(option, `one of ${priorities.join(', ')}`, value);
}
