type Task = { readonly write: string } | { readonly value: unknown };

/**
 * JSON without spaces, in which the keys of every object are in the order of their UTF-16 units: the same text for the
 * same value. Numbers and characters are as `JSON.stringify` writes them. Any depth; not for cycles.
 */
export function canonicalJson(value: unknown): string {
  const pieces: string[] = [];
  const tasks: Task[] = [{ value }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ("write" in task) pieces.push(task.write);
    else if (typeof task.value !== "object" || task.value === null)
      pieces.push(JSON.stringify(task.value) ?? "null");
    else for (const next of tasksOf(task.value)) tasks.push(next);
  }
  return pieces.join("");
}

/** What to write for a list or an object, the last first. */
function tasksOf(value: object): Task[] {
  const isList = Array.isArray(value);
  const tasks: Task[] = [{ write: isList ? "[" : "{" }];
  const entries = isList ? value.entries() : sortedEntries(value);
  let separator = "";
  for (const [key, item] of entries) {
    tasks.push({ write: isList ? separator : `${separator}${JSON.stringify(key)}:` });
    tasks.push({ value: item });
    separator = ",";
  }
  tasks.push({ write: isList ? "]" : "}" });
  return tasks.reverse();
}

/** As in JSON, what is undefined is not there. */
const sortedEntries = (value: object): (readonly [string, unknown])[] =>
  Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
