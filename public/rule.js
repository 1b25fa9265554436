import { visible } from "./arguments.js";

/** @typedef {import('../src/shared/permissions.ts').Rule} Rule */

/** Which calls a rule is for, in words. @param {Rule} rule */
export function ruleText(rule) {
  const tool = `“${visible(rule.tool)}”`;
  if (rule.path !== undefined) return `${tool} on paths like “${visible(rule.path)}”`;
  if (rule.command !== undefined)
    return `${tool} for commands that begin with “${visible(rule.command)}”`;
  if (rule.origin !== undefined) return `${tool} for addresses at ${visible(rule.origin)}`;
  if (rule.argument !== undefined)
    return `${tool} where “${visible(rule.argument.name)}” is like “${visible(rule.argument.value)}”`;
  return rule.tool.includes("*") ? `every call of tools like ${tool}` : `every call of ${tool}`;
}

/** Whether two rules say the same. @param {Rule} a @param {Rule} b */
export const isSameRule = (a, b) => keyOf(a) === keyOf(b);

/** @param {Rule} rule */
const keyOf = ({ tool, path, command, origin, argument }) =>
  JSON.stringify([tool, path, command, origin, argument?.name, argument?.value]);
