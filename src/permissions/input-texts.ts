/** What an argument is, going by its name. */
export type Role = "path" | "command" | "script" | "url" | "other";

/** A scalar of the arguments as text, or the name of one. */
export type InputText = {
  readonly text: string;
  readonly role: Role;
  readonly isName: boolean;
};

/** All texts of a call's arguments. */
export type InputTexts = {
  readonly texts: readonly InputText[];
  /** False when something that is named like a path, a command or a URL is not a text or a list of texts. */
  readonly isCertain: boolean;
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const PATHS = words(
  "path paths pathname file files filepath filename filenames dir dirs directory directories folder folders source sources src destination destinations dest dst target targets from to cwd workdir root location",
);
const COMMANDS = words("command commands cmd cmds commandline shell bash exec");
const SCRIPTS = words("script scripts");
const URLS = words(
  "url urls uri uris href hrefs endpoint endpoints link links webhook website address origin",
);
const ARGUMENTS = words("args argv arguments params parameters");

/** What a name says by its last word, or by the one before when that is `name`: `newPath`, `source_file`, `file_name`. */
export function roleOf(name: string): Role {
  const parts = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== "");
  const last = (parts.at(-1) === "name" ? parts.at(-2) : parts.at(-1)) ?? "";
  if (PATHS.has(last)) return "path";
  if (COMMANDS.has(last)) return "command";
  if (SCRIPTS.has(last)) return "script";
  return URLS.has(last) ? "url" : "other";
}

type Task = { readonly value: unknown; readonly role: Role };

/** Goes through the arguments, however deep they are. */
export function textsOf(input: unknown): InputTexts {
  const texts: InputText[] = [];
  const tasks: Task[] = [{ value: input, role: "other" }];
  let isCertain = true;
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { value, role } = task;
    if (typeof value !== "object" || value === null) {
      if (value !== null && value !== undefined)
        texts.push({ text: spell(value), role, isName: false });
    } else if (Array.isArray(value)) {
      if (role === "command" && value.every(isText) && value.length > 1)
        texts.push({ text: value.join(" "), role, isName: false });
      for (const item of value) tasks.push({ value: item, role: isScalar(item) ? role : "other" });
    } else {
      if (role !== "other") isCertain = false;
      const joined = withArguments(value);
      for (const [name, item] of Object.entries(value)) {
        texts.push({ text: name, role: "other", isName: true });
        if (name === joined?.name)
          texts.push({ text: joined.text, role: "command", isName: false });
        tasks.push({ value: item, role: name === joined?.name ? "other" : roleOf(name) });
      }
    }
  }
  return { texts, isCertain };
}

const isText = (value: unknown): value is string => typeof value === "string";

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

/** A program whose arguments stand beside it is one command with them. */
function withArguments(value: object): { readonly name: string; readonly text: string } | null {
  const entries = Object.entries(value);
  const program = entries.find(([name, item]) => roleOf(name) === "command" && isText(item));
  const rest = entries.find(([name]) => ARGUMENTS.has(name.toLowerCase()))?.[1];
  if (!program || rest === undefined) return null;
  const given: unknown[] = Array.isArray(rest) ? rest : [rest];
  return { name: program[0], text: [program[1], ...given.filter(isText)].join(" ") };
}

/** The scalars that an argument's name, with dots for what lies in it, stands for; lists give all of theirs. */
export function argumentTexts(input: unknown, name: string): InputTexts {
  const found: unknown[] = [];
  if (isObject(input) && Object.hasOwn(input, name)) found.push(Reflect.get(input, name));
  const tasks = name.includes(".") ? [{ value: input, names: name.split(".") }] : [];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { value, names } = task;
    const [first, ...rest] = names;
    if (first === undefined) found.push(value);
    else if (isObject(value) && Object.hasOwn(value, first))
      tasks.push({ value: Reflect.get(value, first), names: rest });
    else if (Array.isArray(value)) for (const item of value) tasks.push({ value: item, names });
  }
  return scalarsOf(found);
}

function scalarsOf(found: readonly unknown[]): InputTexts {
  const texts: InputText[] = [];
  let isCertain = true;
  const tasks = [...found];
  while (tasks.length > 0) {
    const value = tasks.pop();
    if (isObject(value)) {
      if (!Array.isArray(value)) isCertain = false;
      for (const item of Object.values(value)) tasks.push(item);
    } else if (value !== undefined)
      texts.push({ text: spell(value), role: "other", isName: false });
  }
  return { texts, isCertain };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const spell = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");
