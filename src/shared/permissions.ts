/**
 * How much an agent may do in a session. `DEFAULT`: reads and changes of the own workspace run, anything with an effect
 * outside asks. `ACCEPT_EDITS`: a change of the workspace that its tool would ask for runs too, dangerous ones apart.
 * `EXPLORE`: only reading tools run. `BYPASS`: nothing is asked, but for ask rules and dangerous calls. `DONT_ASK`: what
 * would be asked is denied.
 */
export const permissionModes = [
  "DEFAULT",
  "ACCEPT_EDITS",
  "EXPLORE",
  "BYPASS",
  "DONT_ASK",
] as const;

export type PermissionMode = (typeof permissionModes)[number];

/** What a call does to the world: `read` nothing, `write` only the caller's own workspace, `external` anything else. */
export type Effect = "read" | "write" | "external";

/**
 * Which calls a rule is for. `tool` is a tool's name, in which each `*` stands for any characters. Alone it means every
 * call of the tool; at most one of the others narrows it: a glob on the paths of the call, the first words of its
 * commands, the origin of its URLs (`https://api.example.com`, or `https://*.example.com`), or a pattern with `*` on one
 * argument by its name.
 */
export type Rule = {
  readonly tool: string;
} & (
  | {
      readonly path?: never;
      readonly command?: never;
      readonly origin?: never;
      readonly argument?: never;
    }
  | {
      readonly path: string;
      readonly command?: never;
      readonly origin?: never;
      readonly argument?: never;
    }
  | {
      readonly command: string;
      readonly path?: never;
      readonly origin?: never;
      readonly argument?: never;
    }
  | {
      readonly origin: string;
      readonly path?: never;
      readonly command?: never;
      readonly argument?: never;
    }
  | {
      readonly argument: { readonly name: string; readonly value: string };
      readonly path?: never;
      readonly command?: never;
      readonly origin?: never;
    }
);

export type Rules = {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
};

/** What a session's person has chosen, beside what the operator's code says. */
export type Permissions = Rules & { readonly mode: PermissionMode };

/** What of a call rules look at. A tool that names none is looked at by the names and the texts of its arguments. */
export type Subjects = {
  /** From the root; one that ends in a slash stands for a directory with all below it. */
  readonly paths?: readonly string[];
  /** Directories whose files the call looks into, all of them. */
  readonly within?: readonly string[];
  /** Shell command lines. */
  readonly commands?: readonly string[];
  readonly urls?: readonly string[];
};

/**
 * What a tool itself thinks of a call. `pass`: nothing; `safety`: the question is asked in every mode, `BYPASS` too.
 * `reason` is shown to the person, or to the model when it is denied.
 */
export type ToolVerdict =
  | { readonly verdict: "pass" | "allow" }
  | { readonly verdict: "deny"; readonly reason: string }
  | { readonly verdict: "ask"; readonly reason: string; readonly safety: boolean };

/** What may be answered by a person outside: a permission, or a tool that the client runs. */
export type AskedFor = "approval" | "client";
