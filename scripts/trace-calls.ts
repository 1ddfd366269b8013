import { relative } from 'node:path';
import ts from 'typescript';
import type { Plugin } from 'vite';

/** The name of the global function that traced functions call with their file and name. */
export const RECORD = 'headgateRecordCall';

/** Makes each function with a name, in the sources of these packages, record its calls. */
export function traceCalls(root: string, packages: readonly string[]): Plugin {
  const sources = new RegExp(`^packages/(${packages.join('|')})/src/.*\\.ts$`);
  return {
    name: 'trace-calls',
    enforce: 'pre',
    transform(code, id) {
      const file = relative(root, id);
      return sources.test(file) ? { code: traced(file, code), map: null } : undefined;
    },
  };
}

function traced(file: string, code: string): string {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const calls: { at: number; name: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && ts.isBlock(node.body)) {
      const name = ts.isConstructorDeclaration(node) ? 'new' : node.name?.getText();
      if (name !== undefined) calls.push({ at: startOf(node.body), name });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls.reduceRight(
    (text, { at, name }) => `${text.slice(0, at)}${recording(file, name)}${text.slice(at)}`,
    code,
  );
}

/** Where a body's own statements begin: behind a call of `super`, before which `this` must not be used. */
function startOf(body: ts.Block): number {
  const [first] = body.statements;
  const callsSuper =
    first !== undefined &&
    ts.isExpressionStatement(first) &&
    ts.isCallExpression(first.expression) &&
    first.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
  return callsSuper ? first.end : body.getStart() + 1;
}

function recording(file: string, name: string): string {
  return ` (globalThis as any).${RECORD}?.(${JSON.stringify(file)}, ${JSON.stringify(name)});`;
}
