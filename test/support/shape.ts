import { type Node, type Source, findNodes, isNode, lineAt, place, walk } from "./source.ts";

type Text = { readonly path: string; readonly text: string };

const lineCount = (text: string): number => text.replace(/\n$/, "").split("\n").length;

/** Files of more than `limit` lines. */
export function longFiles(files: readonly Text[], limit: number): string[] {
  return files
    .map(({ path, text }) => ({ path, lines: lineCount(text) }))
    .filter(({ lines }) => lines > limit)
    .map(({ path, lines }) => `${path} has ${lines} lines, at most ${limit} are allowed`);
}

/**
 * Functions, methods and arrow functions with a block that span more than `limit` lines. A class inside a
 * function does not count as lines of the function: its methods are measured on their own.
 */
export function longFunctions(sources: readonly Source[], limit: number): string[] {
  return sources.flatMap((source) =>
    findNodes(source, (node) => {
      if (!isFunction(node)) return null;
      const lines = linesOf(source, node) - linesOfClasses(source, node);
      return lines > limit && `a function has ${lines} lines, at most ${limit} are allowed`;
    }),
  );
}

const linesOf = (source: Source, node: Node): number =>
  lineAt(source.text, node.end) - lineAt(source.text, node.start) + 1;

const isClass = (node: Node): boolean =>
  node.type === "ClassDeclaration" || node.type === "ClassExpression";

function linesOfClasses(source: Source, within: Node): number {
  let lines = 0;
  walk(within, (node, ancestors) => {
    if (isClass(node) && !ancestors.some(isClass)) lines += linesOf(source, node);
  });
  return lines;
}

const isFunction = (node: Node): boolean =>
  node.type === "FunctionDeclaration" ||
  node.type === "FunctionExpression" ||
  (node.type === "ArrowFunctionExpression" && node.body.type === "BlockStatement");

/** `any`, `x!`, and fields or variables declared with `!`. */
export function uncheckedTypes(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    findNodes(source, (node) => {
      if (node.type === "TSAnyKeyword") return "uses the type any";
      if (node.type === "TSNonNullExpression") return "claims with ! that a value is not null";
      return (
        "definite" in node && node.definite === true && "claims with ! that a value is assigned"
      );
    }),
  );
}

/** Comments that switch a check off. */
export function silencedChecks(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    source.comments
      .filter((comment) =>
        /@ts-(ignore|expect-error|nocheck)|(oxlint|eslint)-disable|oxfmt-ignore/.test(
          comment.value,
        ),
      )
      .map((comment) => `${place(source, comment)} switches a check off`),
  );
}

/** Words that announce unfinished work. */
export function unfinished(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    [...source.text.matchAll(/\b(?:TODO|FIXME|XXX)\b/g)].map(
      (match) => `${place(source, { start: match.index })} says ${match[0]}`,
    ),
  );
}

/**
 * Exported classes, interfaces and functions without a docstring right above. A function of one statement
 * and at most eight lines says it all itself.
 */
export function undocumented(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    source.program.body.flatMap((node, index) => {
      if (node.type !== "ExportNamedDeclaration" && node.type !== "ExportDefaultDeclaration")
        return [];
      const name = node.declaration && needsDocs(source, node.declaration);
      const known = isOverload(source.program.body[index - 1]) || hasDocs(source, node.start);
      return name && !known ? [`${place(source, node)} ${name} has no docstring`] : [];
    }),
  );
}

/** The declaration's name when it must be documented. */
function needsDocs(source: Source, node: Node): string | null {
  switch (node.type) {
    case "ClassDeclaration":
    case "TSInterfaceDeclaration":
    case "TSDeclareFunction":
      return node.id?.name ?? "default";
    case "FunctionDeclaration":
      return isPlain(source, node) ? null : (node.id?.name ?? "default");
    case "VariableDeclaration": {
      const made = node.declarations.find(
        ({ init }) => init && /^(Arrow)?Function/.test(init.type),
      );
      return made?.init && made.id.type === "Identifier" && !isPlain(source, made.init)
        ? made.id.name
        : null;
    }
    default:
      return null;
  }
}

function isPlain(source: Source, node: Node): boolean {
  const body = "body" in node && isNode(node.body) ? node.body : null;
  return linesOf(source, node) <= 8 && !(body?.type === "BlockStatement" && body.body.length > 1);
}

const isOverload = (node: Node | undefined): boolean =>
  node?.type === "ExportNamedDeclaration" && node.declaration?.type === "TSDeclareFunction";

const hasDocs = (source: Source, start: number): boolean =>
  source.comments.some(
    (comment) =>
      comment.type === "Block" &&
      comment.value.startsWith("*") &&
      comment.end <= start &&
      /^\s?$/.test(source.text.slice(comment.end, start)),
  );

/** Tests that are left out, run alone or run again: `.skip`, `.only`, `.todo` and friends, and `retry`. */
export function unfairTests(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    findNodes(source, (node, ancestors) => {
      if (node.type === "MemberExpression" && node.property.type === "Identifier") {
        const { name } = node.property;
        const unfair =
          /^(only|skip|skipIf|runIf|todo|fails)$/.test(name) && calledName(node) !== null;
        return unfair && `a test uses .${name}`;
      }
      const isRetry =
        node.type === "Property" && node.key.type === "Identifier" && node.key.name === "retry";
      const owner = ancestors.at(-2);
      const isOption = owner?.type === "CallExpression" && calledName(owner) !== null;
      return (
        isRetry && (isOption || source.path.endsWith("vitest.config.ts")) && "a test uses retry"
      );
    }),
  );
}

/** `it`, `test` or `describe` when that is what a call or member chain starts from, else `null`. */
export function calledName(node: Node): string | null {
  switch (node.type) {
    case "Identifier":
      return /^(it|test|describe|suite|bench)$/.test(node.name) ? node.name : null;
    case "CallExpression":
      return calledName(node.callee);
    case "MemberExpression":
      return calledName(node.object);
    case "TaggedTemplateExpression":
      return calledName(node.tag);
    default:
      return null;
  }
}
