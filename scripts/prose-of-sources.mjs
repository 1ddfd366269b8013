// A textlint plugin for TypeScript and JavaScript: the prose of a source is its comments and its strings (messages, test
// titles); of SQL and Lua in a string, only the comments.
import ts from 'typescript';

const script = /^\s*--\s|\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|local|redis)\b/m;
const comments = /\/\*[\s\S]*?\*\/|\/\/.*(?:\n\s*\/\/.*)*/g;
const scriptComments = /--\s.*(?:\n\s*--\s.*)*/g;
/** Parts of prose that are none: quoted code, and the marks at the beginning of a comment's lines. */
const marks = /```[\s\S]*?```|`[^`\n]*`|^\s*(?:\*(?!\/)|\/\/|--)|\/\*+|\*\//gm;

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** The strings, the parts of templates, and the regular expressions of a source, which may look like comments. */
function literalsOf(source) {
  const literals = [];
  const visit = (node) => {
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node)) literals.push(node);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return literals;
}

/** The ranges of the prose in a source. */
function rangesOf(text, source) {
  const ranges = [];
  const find = (pattern, within, offset) => {
    for (const { index, 0: found } of within.matchAll(pattern))
      ranges.push([offset + index, offset + index + found.length]);
  };
  let rest = text;
  for (const node of literalsOf(source)) {
    const start = node.getStart(source);
    const literal = text.slice(start, node.end);
    rest = rest.slice(0, start) + blank(literal) + rest.slice(node.end);
    if (!/^['"`}]/.test(literal)) continue;
    if (literal.includes('\n') && script.test(literal)) find(scriptComments, literal, start);
    else if (literal.includes(' '))
      ranges.push([start + 1, node.end - (literal.endsWith('${') ? 2 : 1)]);
  }
  find(comments, rest, 0);
  return ranges.sort(([one], [other]) => one - other);
}

/** Parses a source for textlint: a paragraph for each comment and string, and blanks for everything else. */
function parse(text, path) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const ranges = rangesOf(text, source);
  let masked = '';
  for (const [start, end] of ranges)
    masked +=
      blank(text.slice(masked.length, start)) + text.slice(start, end).replace(marks, blank);
  masked += blank(text.slice(masked.length));

  const place = (index) => {
    const { line, character } = source.getLineAndCharacterOfPosition(index);
    return { line: line + 1, column: character };
  };
  const node = (type, start, end, rest) => ({
    ...{ type, raw: masked.slice(start, end), range: [start, end] },
    ...{ loc: { start: place(start), end: place(end) }, ...rest },
  });
  const children = ranges.map(([start, end]) => {
    const words = node('Str', start, end, { value: masked.slice(start, end) });
    return node('Paragraph', start, end, { children: [words] });
  });
  return { text: masked, ast: node('Document', 0, text.length, { children }) };
}

export default {
  Processor: class {
    availableExtensions() {
      return ['.ts', '.js', '.mjs'];
    }
    processor() {
      return { preProcess: parse, postProcess: (messages, filePath) => ({ messages, filePath }) };
    }
  },
};
