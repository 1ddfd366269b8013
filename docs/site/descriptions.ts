import {
  type DeclarationReflection,
  type ParameterReflection,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  type SignatureReflection,
  type SomeType,
} from 'typedoc';

/** What a number counts or measures. */
const UNITS = new RegExp(
  [
    '(milli|micro)?seconds?|minutes?|time stamp|when|clock',
    '(requests?|waiters?|permits?|leases?|keys?|calls?|operations?|tokens?|processes|timers?|characters|bytes)',
    'weight|share|fraction|from 0 to 1|status|port|position|code',
  ].join('|'),
  'i',
);

/** Packages for authors of adapters and stores: their functions pass options on to a package that checks them. */
const FOR_AUTHORS = /^@headgate\/(store-kit|test-suite)\b/;

/** A text that refers to the same option elsewhere. */
const REFERENCE = /^As `/;

/** How a comment says what a function throws, or what its promise rejects with. */
const ERRORS = /\bRejects (with|if|for)\b|, it rejects with\b/;

function textOf({ comment }: Reflection): string {
  const { summary = [], blockTags = [] } = comment ?? {};
  return [...summary, ...blockTags.flatMap(({ content }) => content)]
    .map(({ text }) => text)
    .join('');
}

function isNumber(type: SomeType | undefined): boolean {
  if (type?.type === 'union') return type.types.some(isNumber);
  return type?.type === 'intrinsic' && type.name === 'number';
}

/** Fields of a callback's argument: the comment of the callback describes them. */
function isPartOfCallback({ parent }: Reflection): boolean {
  if (parent === undefined) return false;
  return parent.kindOf(ReflectionKind.SomeSignature) || isPartOfCallback(parent);
}

/** The options and figures whose comment does not say what the number counts or measures. */
export function withoutUnit(project: ProjectReflection): string[] {
  const kinds = ReflectionKind.Property | ReflectionKind.Accessor;
  return (project.getReflectionsByKind(kinds) as DeclarationReflection[])
    .filter(({ type, getSignature }) => isNumber(type ?? getSignature?.type))
    .filter((figure) => !isPartOfCallback(figure))
    .filter((figure) => {
      const text = textOf(figure.getSignature ?? figure);
      return !UNITS.test(text) && !REFERENCE.test(text);
    })
    .map((figure) => `${figure.getFriendlyFullName()} has no unit`);
}

/** Whether a parameter has options. The overload of `false`, for no limit, has none. */
const areOptions = ({ name, type }: ParameterReflection) =>
  name === 'options' && type?.type !== 'literal';

/** The functions that take options, which may be invalid, and do not say what they throw. */
export function withoutErrors(project: ProjectReflection): string[] {
  const kinds = ReflectionKind.CallSignature | ReflectionKind.ConstructorSignature;
  return (project.getReflectionsByKind(kinds) as SignatureReflection[])
    .filter(({ parent }) => !isPartOfCallback(parent))
    .filter(({ parameters = [] }) => parameters.some(areOptions))
    .filter((signature) => !FOR_AUTHORS.test(signature.getFriendlyFullName()))
    .filter((signature) => signature.comment?.getTag('@throws') === undefined)
    .filter((signature) => !ERRORS.test(textOf(signature)))
    .map(
      (signature) =>
        `${signature.getFriendlyFullName()} takes options and does not say what it throws`,
    );
}
