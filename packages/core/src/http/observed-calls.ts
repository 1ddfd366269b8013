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

function replace<T>(target: T, methods: readonly (keyof T)[], wrap: (original: Call) => Call) {
  for (const name of methods) target[name] = wrap(target[name] as Call) as T[keyof T];
}
