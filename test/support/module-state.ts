import { posix } from "node:path";
import { type Node, type Source, findNodes, place } from "./source.ts";

/** What may be constructed once for all: it holds nothing that a call could change for the next one. */
const stateless: Readonly<Record<string, string>> = {
  TextEncoder: "encode() keeps nothing",
  TextDecoder: "decode() without `stream` keeps nothing",
  RegExp: "a pattern; oxlint refuses the stateful uses",
  "Intl.Collator": "immutable by specification",
  "Intl.DateTimeFormat": "immutable by specification",
  "Intl.NumberFormat": "immutable by specification",
  "Intl.Segmenter": "immutable by specification",
};

const makers = /^(Array\.(from|of)|Object\.(create|assign|fromEntries))$/;

/**
 * Things at module level that one request could change for the next, whoever sends it: `let`, `var`, static
 * fields, and containers that no type makes read-only. The same isolate serves many users.
 */
export function mutableModuleState(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return sources.flatMap((source) => [
    ...source.program.body.flatMap((statement) => {
      const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (node?.type !== "VariableDeclaration") return [];
      if (node.kind === "let" || node.kind === "var")
        return [`${place(source, node)} declares ${node.kind} at module level`];
      return node.declarations.flatMap(({ id, init }) => {
        const problem = init && judge(source, byPath, annotationOf(id), init);
        return problem ? [`${place(source, init)} keeps ${problem} at module level`] : [];
      });
    }),
    ...staticFields(source),
  ]);
}

function staticFields(source: Source): string[] {
  return findNodes(
    source,
    (node) =>
      (node.type === "PropertyDefinition" || node.type === "AccessorProperty") &&
      node.static &&
      (!node.readonly ||
        judge(source, new Map(), node.typeAnnotation?.typeAnnotation ?? null, node.value) !==
          null) &&
      "keeps a static field that can change",
  );
}

const annotationOf = (id: Node): Node | null =>
  id.type === "Identifier" ? (id.typeAnnotation?.typeAnnotation ?? null) : null;

type Files = ReadonlyMap<string, Source>;

/** What mutable thing `init` makes, or `null` when there is none or its type is read-only. */
function judge(source: Source, files: Files, type: Node | null, init: Node | null): string | null {
  if (!init) return null;
  if (init.type === "TSSatisfiesExpression") return judge(source, files, type, init.expression);
  if (init.type === "TSAsExpression")
    return isConst(init.typeAnnotation)
      ? null
      : judge(source, files, type ?? init.typeAnnotation, init.expression);
  const made = describe(init);
  return made && !(type && isReadonly(source, files, type)) ? made : null;
}

const isConst = (type: Node): boolean => typeName(type) === "const";

function describe(init: Node): string | null {
  switch (init.type) {
    case "ArrayExpression":
      return "an array";
    case "ObjectExpression":
      return init.properties.every(isFunctionEntry) && init.properties.length > 0
        ? null
        : "an object";
    case "NewExpression":
      return dotted(init.callee) in stateless ? null : `a new ${dotted(init.callee)}`;
    case "CallExpression":
      return describeCall(init);
    default:
      return null;
  }
}

function describeCall(call: Extract<Node, { type: "CallExpression" }>): string | null {
  const name = dotted(call.callee);
  const first = call.arguments[0];
  // A frozen Map or Set still takes new entries.
  if (name === "Object.freeze") return first?.type === "NewExpression" ? describe(first) : null;
  return makers.test(name) ? `what ${name} makes` : null;
}

/** An object of functions alone is a table of code, not state. */
const isFunctionEntry = (property: Node): boolean =>
  property.type === "Property" && /^(Arrow)?FunctionExpression$/.test(property.value.type);

function dotted(node: Node): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.property.type !== "Identifier") return "?";
  return `${dotted(node.object)}.${node.property.name}`;
}

const typeName = (type: Node): string | null =>
  type.type === "TSTypeReference" && type.typeName.type === "Identifier"
    ? type.typeName.name
    : null;

/** `Readonly…`, `readonly …[]`, or a type of ours whose every member is read-only. */
function isReadonly(source: Source, files: Files, type: Node): boolean {
  if (type.type === "TSTypeOperator") return type.operator === "readonly";
  if (type.type === "TSTypeLiteral") return type.members.every(isReadonlyMember);
  if (type.type === "TSIntersectionType")
    return type.types.every((part) => isReadonly(source, files, part));
  if (type.type === "TSUnionType")
    return type.types.every((part) => isReadonly(source, files, part));
  const name = typeName(type);
  if (name === null) return false;
  return /^Readonly(Array|Map|Set)?$/.test(name) || isReadonlyDeclaration(source, files, name);
}

const isReadonlyMember = (member: Node): boolean =>
  member.type === "TSMethodSignature" ||
  ((member.type === "TSPropertySignature" || member.type === "TSIndexSignature") &&
    member.readonly === true);

function isReadonlyDeclaration(source: Source, files: Files, name: string): boolean {
  for (const statement of source.program.body) {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (node?.type === "TSTypeAliasDeclaration" && node.id.name === name)
      return isReadonly(source, files, node.typeAnnotation);
    if (node?.type === "TSInterfaceDeclaration" && node.id.name === name)
      return node.body.body.every(isReadonlyMember);
    if (statement.type !== "ImportDeclaration") continue;
    const found = statement.specifiers.find(({ local }) => local.name === name);
    const from = files.get(posix.join(posix.dirname(source.path), statement.source.value));
    if (found?.type === "ImportSpecifier" && from)
      return isReadonlyDeclaration(
        from,
        files,
        "name" in found.imported ? found.imported.name : found.imported.value,
      );
  }
  return false;
}
