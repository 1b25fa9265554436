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

/** Goes through the arguments, however deep they are, once where they hold themselves. */
export function textsOf(input: unknown): InputTexts {
  const texts: InputText[] = [];
  const visited = new Map<Role, Set<unknown>>();
  const tasks: Task[] = [{ value: input, role: "other" }];
  let isCertain = true;
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { role } = task;
    const { value, isPlain } = openUp(task.value);
    if (!isPlain) isCertain = false;
    const before = visited.get(role) ?? new Set();
    if (before.has(task.value)) continue;
    if (isObject(task.value)) visited.set(role, before.add(task.value));
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
  const tasks = name.includes(".") ? [{ given: input, names: name.split(".") }] : [];
  const visited = new Map<number, Set<unknown>>();
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { given, names } = task;
    const [first, ...rest] = names;
    const before = visited.get(names.length) ?? new Set();
    if (before.has(given)) continue;
    if (isObject(given)) visited.set(names.length, before.add(given));
    const { value } = openUp(given);
    if (first === undefined) found.push(value);
    else if (isObject(value) && Object.hasOwn(value, first))
      tasks.push({ given: Reflect.get(value, first), names: rest });
    else if (Array.isArray(value)) for (const item of value) tasks.push({ given: item, names });
  }
  return scalarsOf(found);
}

function scalarsOf(found: readonly unknown[]): InputTexts {
  const texts: InputText[] = [];
  const visited = new Set<unknown>();
  let isCertain = true;
  const tasks = [...found];
  while (tasks.length > 0) {
    const task = tasks.pop();
    if (visited.has(task)) continue;
    if (isObject(task)) visited.add(task);
    const { value, isPlain } = openUp(task);
    if (!isPlain) isCertain = false;
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
  typeof value === "string"
    ? value
    : typeof value === "number"
      ? JSON.stringify(value)
      : String(value);

type Opened = { readonly value: unknown; readonly isPlain: boolean };

/** What a parsed value holds, as JSON would have it. `isPlain`: there is nothing else in it. */
function openUp(value: unknown): Opened {
  if (!isObject(value) || Array.isArray(value)) return { value, isPlain: true };
  if (value instanceof Map) return { value: [...value.keys(), ...value.values()], isPlain: false };
  if (value instanceof Set) return { value: [...value], isPlain: false };
  if (value instanceof Date || value instanceof URL) return { value: jsonOf(value), isPlain: true };
  const prototype: unknown = Object.getPrototypeOf(value);
  return { value, isPlain: prototype === Object.prototype || prototype === null };
}

/** A date that is none is `null`. */
const jsonOf = (value: Date | URL): unknown => value.toJSON();

/** Whether two values are the same JSON, each number, text and name the same. `a` must not hold itself. */
export function isSameJson(a: unknown, b: unknown): boolean {
  const tasks: [unknown, unknown][] = [[a, b]];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const [one, other] = task;
    if (Object.is(one, other)) continue;
    if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
      return false;
    if ([one, other].some((object) => openUp(object).value !== object || !openUp(object).isPlain))
      return false;
    const names = Object.keys(one);
    if (names.length !== Object.keys(other).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(other, name)) return false;
      tasks.push([Reflect.get(one, name), Reflect.get(other, name)]);
    }
  }
  return true;
}
