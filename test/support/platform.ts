import { rowOf } from "./imports.ts";
import { type Node, type Source, findNodes } from "./source.ts";

const parentOf = (ancestors: readonly Node[]): Node | undefined => ancestors.at(-1);

/** `env` read below row 3: as a variable, a parameter, a property or in a pattern. A key named `env` in data is not a read. */
export function readsEnv(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => (rowOf(source.path)?.row ?? 0) > 3)
    .flatMap((source) =>
      findNodes(source, (node, ancestors) => {
        if (node.type !== "Identifier" || node.name !== "env") return null;
        const parent = parentOf(ancestors);
        if (parent?.type === "TSPropertySignature") return null;
        const isKey = parent?.type === "Property" && parent.key === node && !parent.shorthand;
        return !(isKey && ancestors.at(-2)?.type === "ObjectExpression") && "reads env";
      }),
    );
}

const globals: readonly string[] = ["globalThis", "self", "window", "global"];

/**
 * The platform's `fetch` used (called or passed on) anywhere but in the guarded fetch, and `x.fetch(…)`, which
 * reaches another object or the assets, anywhere but in the two rows that hold such bindings.
 */
export function unguardedFetch(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => source.path !== "src/shared/guarded-fetch.ts")
    .flatMap((source) =>
      findNodes(source, (node, ancestors) => {
        if (node.type === "Identifier" && node.name === "fetch")
          return (
            isValue(node, ancestors) && !isDeclared("fetch", ancestors) && "uses the global fetch"
          );
        if (node.type !== "MemberExpression" || memberName(node) !== "fetch") return null;
        if (node.object.type === "Identifier" && globals.includes(node.object.name))
          return "uses the global fetch";
        const parent = parentOf(ancestors);
        const isCall = parent?.type === "CallExpression" && parent.callee === node;
        const mayCall = source.path === "src/index.ts" || source.path.startsWith("src/http/");
        return isCall && !mayCall && "calls fetch on an object";
      }),
    );
}

function memberName(node: Extract<Node, { type: "MemberExpression" }>): string | null {
  if (node.property.type === "Literal") return String(node.property.value);
  return !node.computed && node.property.type === "Identifier" ? node.property.name : null;
}

/** Whether an identifier stands for a value here, rather than naming a key, a member or a type. */
function isValue(node: Node, ancestors: readonly Node[]): boolean {
  const parent = parentOf(ancestors);
  if (!parent) return false;
  if (parent.type.startsWith("TS") && !/^TS(As|Satisfies|NonNull)Expression$/.test(parent.type))
    return false;
  if (parent.type === "MemberExpression") return parent.object === node || parent.computed;
  if ("key" in parent && parent.key === node)
    return "shorthand" in parent && parent.shorthand === true;
  return true;
}

/** Whether a function around this place, or the module, declares `name` as a parameter, variable, import or function. */
function isDeclared(name: string, ancestors: readonly Node[]): boolean {
  return ancestors.some((scope) => {
    if (
      "params" in scope &&
      Array.isArray(scope.params) &&
      scope.params.some((param) => binds(param, name))
    )
      return true;
    const body = "body" in scope && Array.isArray(scope.body) ? scope.body : [];
    return body.some((statement: Node) => declares(statement, name));
  });
}

function declares(statement: Node, name: string): boolean {
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.declarations.some(({ id }) => binds(id, name));
    case "FunctionDeclaration":
      return statement.id?.name === name;
    case "ImportDeclaration":
      return statement.specifiers.some(({ local }) => local.name === name);
    case "ExportNamedDeclaration":
      return statement.declaration !== null && declares(statement.declaration, name);
    default:
      return false;
  }
}

function binds(pattern: Node, name: string): boolean {
  switch (pattern.type) {
    case "Identifier":
      return pattern.name === name;
    case "AssignmentPattern":
      return binds(pattern.left, name);
    case "RestElement":
      return binds(pattern.argument, name);
    case "ArrayPattern":
      return pattern.elements.some((element) => element !== null && binds(element, name));
    case "ObjectPattern":
      return pattern.properties.some((property) =>
        property.type === "Property" ? binds(property.value, name) : binds(property, name),
      );
    default:
      return false;
  }
}

/**
 * Streams made in JavaScript where events are sent from: their reader does not wait for the output gate, so
 * a client could see what is not stored yet. `IdentityTransformStream` waits.
 */
export function ungatedStreams(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => /^(durable-objects|src\/turn|src\/session)\//.test(path))
    .flatMap((source) =>
      findNodes(source, (node, ancestors) => {
        if (node.type !== "Identifier" || !/^(ReadableStream|TransformStream)$/.test(node.name))
          return null;
        return (
          isValue(node, ancestors) &&
          `makes a ${node.name}, which does not wait for the output gate`
        );
      }),
    );
}

/** Storage calls that give up the order of writes: an asynchronous transaction, and writes that need not be confirmed. */
export function looseStorage(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    findNodes(source, (node) => {
      const isUnconfirmed =
        (node.type === "Identifier" && node.name === "allowUnconfirmed") ||
        (node.type === "Literal" && node.value === "allowUnconfirmed");
      if (isUnconfirmed) return "allows unconfirmed writes";
      if (node.type !== "MemberExpression" || memberName(node) !== "transaction") return null;
      return isStorage(node.object) && "opens an asynchronous transaction";
    }),
  );
}

const isStorage = (node: Node): boolean =>
  node.type === "Identifier"
    ? node.name === "storage"
    : node.type === "MemberExpression" && memberName(node) === "storage";
