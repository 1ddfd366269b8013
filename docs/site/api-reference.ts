import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  Application,
  LogLevel,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  type TranslatedString,
} from 'typedoc';
import { withoutErrors, withoutUnit } from './descriptions.ts';
import { entryPoints } from './entry-points.ts';
import { apiReferenceFolder, root } from './pages.ts';

const options = {
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: join(root, 'docs/site/tsconfig.api.json'),
  // npm run typecheck does that.
  skipErrorChecking: true,
  logLevel: LogLevel.Warn,
  readme: 'none',
  excludeInternal: true,
  excludeProtected: true,
  excludeExternals: true,
  disableSources: true,
  validation: { notDocumented: true, notExported: false },
  // The pages: one for each entry point, in one folder.
  router: 'module',
  flattenOutputFiles: true,
  excludeScopesInPaths: true,
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  // The router numbers some anchors otherwise than VitePress does, so each heading has its own.
  useCustomAnchors: true,
  // VitePress compiles the pages to Vue, which reads angle brackets and braces.
  useHTMLEncodedBrackets: true,
  sanitizeComments: true,
};

/** The packages to which the names of these entry points belong; TypeDoc checks only the root by default. */
function packagesOf(sources: Map<string, string>): string[] {
  const names = [...sources.keys()].map((entry) => entry.split('/', 2).join('/'));
  return ['headgate', ...new Set(names)];
}

/** TypeDoc names a module by the path of its file; a reader imports it by the name of its entry point. */
function nameModules(project: ProjectReflection, sources: Map<string, string>): void {
  const names = new Map([...sources].map(([name, file]) => [file, name]));
  for (const module of project.children ?? []) {
    const file = project.getSymbolIdFromReflection(module)?.fileName ?? '';
    module.name = names.get(join(root, file)) ?? names.get(file) ?? module.name;
  }
}

/** The fields of constant objects that have no description: that of the constant describes them. */
function fieldsOfConstants(project: ProjectReflection): string[] {
  const isConstant = ({ parent }: Reflection) => parent?.parent?.kindOf(ReflectionKind.Variable);
  return project
    .getReflectionsByKind(ReflectionKind.Property)
    .filter((field) => isConstant(field) && !field.hasComment())
    .map((field) => field.getFriendlyFullName());
}

/**
 * Writes the API reference of the published packages as Markdown.
 *
 * @throws if an export or a member of one has no description, a number has no unit, a function with options does not
 *   say what it throws, or a link in a comment leads nowhere.
 */
export async function writeApiReference(): Promise<void> {
  const sources = entryPoints();
  // It exports nothing.
  sources.delete('@headgate/node/register');
  const app = await Application.bootstrapWithPlugins({
    ...options,
    name: 'API of each package',
    entryPoints: [...sources.values()],
    packagesRequiringDocumentation: packagesOf(sources),
    outputs: [{ name: 'markdown', path: apiReferenceFolder }],
  } as Parameters<typeof Application.bootstrapWithPlugins>[0]);
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc found no entry point.');
  nameModules(project, sources);
  app.options.setValue('intentionallyNotDocumented', fieldsOfConstants(project));
  app.validate(project);
  for (const mistake of [...withoutUnit(project), ...withoutErrors(project)])
    app.logger.error(mistake as TranslatedString);
  const { errorCount, warningCount } = app.logger;
  if (errorCount + warningCount > 0)
    throw new Error(`The API reference has ${errorCount + warningCount} mistakes: see above.`);
  rmSync(apiReferenceFolder, { recursive: true, force: true });
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('The API reference could not be written: see above.');
}
