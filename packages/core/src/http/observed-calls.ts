type Call = (...args: unknown[]) => unknown;

/** Calls back before each call of one of these methods, with its first argument. */
export function beforeCalls<T extends object>(
  target: T,
  methods: readonly (keyof T)[],
  callback: (first?: never) => void,
): void {
  replace(target, methods, (original) => (...args) => {
    callback(args[0] as never);
    return original.apply(target, args);
  });
}

/** Calls back after each call of one of these methods. */
export function afterCalls<T extends object>(
  target: T,
  methods: readonly (keyof T)[],
  callback: () => void,
): void {
  replace(target, methods, (original) => (...args) => {
    const result = original.apply(target, args);
    callback();
    return result;
  });
}

/** Calls back when the app or a library reads one of these properties, if it is true, and stays so. */
export function whenRead<T extends object>(
  target: T,
  names: readonly (keyof T)[],
  callback: () => void,
): void {
  for (const name of names) {
    // Another request of the same connection may be watched already.
    const other = Object.getOwnPropertyDescriptor(target, name)?.get;
    if (other === undefined && target[name] !== true) continue;
    const get = () => {
      if (isReadByRuntime()) return true;
      other?.call(target);
      callback();
      return true;
    };
    // Not enumerable, since copies of the object read nothing on purpose.
    Object.defineProperty(target, name, { configurable: true, get, set: () => {} });
  }
}

/** Whether Node's own code has called the getter that calls this: `res.write` reads `destroyed`, for one. */
function isReadByRuntime(): boolean {
  const { stack } = new Error();
  // The lines are the message, this function, the getter, and what has read the property.
  return typeof stack === 'string' && /[( ](node|ext):/.test(stack.split('\n')[3] ?? '');
}

function replace<T>(target: T, methods: readonly (keyof T)[], wrap: (original: Call) => Call) {
  for (const name of methods) target[name] = wrap(target[name] as Call) as T[keyof T];
}
