import fc from "fast-check";
import type { Rule } from "../../src/shared/permissions.ts";

/** Few words, so that rules and calls meet often. */
const names = fc.constantFrom("a", "b", "notes", "secret", ".env");

export const tools = fc.constantFrom("use", "mcp__a__b", "mcp__a__c");

export const paths = fc
  .array(fc.oneof(names, fc.constantFrom("..", ".", "")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));

export const commands = fc
  .array(
    fc.oneof(
      fc.constantFrom("git", "status", "push", "rm", "-rf", "--force", "a", "/", "ls", "sudo"),
      fc.constantFrom(
        ";",
        "&&",
        "|",
        "$X",
        "$(ls)",
        "'",
        '"',
        "(",
        ")",
        ">",
        "<<A",
        "\n",
        "#",
        "\\",
      ),
    ),
    { maxLength: 7 },
  )
  .map((words) => words.join(" "));

export const urls = fc.constantFrom(
  "https://a.example",
  "https://a.example/x",
  "https://b.a.example/",
  "http://a.example",
  "https://u@a.example",
  "a.example",
  "nothing",
);

export const rules: fc.Arbitrary<Rule> = fc
  .record({ tool: fc.constantFrom("use", "*", "mcp__a__*", "other") })
  .chain(({ tool }): fc.Arbitrary<Rule> =>
    fc.oneof(
      fc.constant<Rule>({ tool }),
      fc
        .constantFrom("**", "notes/**", "*", "**/.env", "a/*", "{a,b}/**", "secret/a", "../x")
        .map((path): Rule => ({ tool, path })),
      fc
        .constantFrom("git status", "git", "rm -rf", "ls", "*", "git * --force", "a; b")
        .map((command): Rule => ({ tool, command })),
      fc
        .constantFrom("https://a.example", "https://*.a.example", "http://a.example", "odd")
        .map((origin): Rule => ({ tool, origin })),
      fc
        .constantFrom("a", "notes*", "*")
        .map((value): Rule => ({ tool, argument: { name: "path", value } })),
    ),
  );
