import { join, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../../..');

interface Mistake {
  readonly file: string;
  readonly message: string;
}

/**
 * The type errors in these texts, each of which stands for a file that does not exist. The files that they import are
 * not checked.
 *
 * @param sources The texts, by the absolute path of their file.
 */
export function mistakesIn(sources: ReadonlyMap<string, string>): Mistake[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.readFile = (file) => sources.get(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = sources.get(file);
    if (text === undefined) return getSourceFile(file, target, ...rest);
    return ts.createSourceFile(file, text, target);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()].flatMap((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ file, start = 0, messageText }) => {
        const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        const text = ts.flattenDiagnosticMessageText(messageText, ' ');
        return { file: name, message: `line ${line}: ${text}` };
      }),
  );
}
