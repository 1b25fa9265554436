import * as z from "zod";
import { noPlan, todoPriorities, type Plan, type Todo } from "../shared/plan.ts";
import { shortHash } from "../shared/short-hash.ts";

type Part = Readonly<Record<string, unknown>>;

const MAX_TODOS = 50;
const MAX_CONTENT = 500;

/** A task of the original that is an item of its to-do list; everything else of one means nothing here. */
const Task = z.object({
  id: z.string().max(200).optional(),
  subject: z.string().trim().min(1).max(MAX_CONTENT),
  state: z
    .string()
    .toLowerCase()
    .pipe(z.enum(["pending", "in_progress", "completed"])),
  metadata: z
    .object({ priority: z.string().toLowerCase().pipe(z.enum(todoPriorities)).optional() })
    .optional()
    .catch(undefined),
  created_at: z.union([z.number(), z.iso.datetime({ local: true, offset: true })]).optional(),
});

/** What a state document has to do, at most 50 items; tasks that are none are left out. */
export function todosIn(context: Part | null | undefined, now: number): readonly Todo[] {
  return tasksIn(context)
    .flatMap((task, at): Todo[] => {
      const parsed = Task.safeParse(task);
      if (!parsed.success) return [];
      const {
        id = shortHash(`imported/${at}`),
        subject,
        state,
        metadata,
        created_at,
      } = parsed.data;
      const createdAt = created_at === undefined ? now : new Date(created_at).getTime();
      return [
        {
          id,
          content: subject,
          status: state,
          priority: metadata?.priority ?? "medium",
          createdAt,
        },
      ];
    })
    .slice(0, MAX_TODOS);
}

/** Whether a state document plans. Its plan is not in it, so that is to be written again. */
export const planIn = (context: Part | null | undefined): Plan =>
  context?.["plan_active"] === true ? { ...noPlan, active: true } : noPlan;

/** What is to do as the original has it; what an imported state said of the same tasks beside that is given back. */
export function toTasksContext(todos: readonly Todo[], carried: Part | null): Part {
  const before = tasksIn(carried);
  const others = before.filter((task) => !Task.safeParse(task).success);
  const tasks = todos.map(({ id, content, status, priority, createdAt }) => {
    const same = before.find((task) => isPart(task) && task["id"] === id);
    const known = isPart(same)
      ? same
      : { description: "", owner: null, blocks: [], blocked_by: [] };
    const metadata = isPart(known["metadata"]) ? known["metadata"] : {};
    return {
      created_at: new Date(createdAt).toISOString(),
      ...known,
      id,
      subject: content,
      state: status,
      metadata: { ...metadata, priority },
    };
  });
  return { ...carried, tasks: [...tasks, ...others] };
}

/** Whether a session plans, in the original's words. */
export const toPlanContext = ({ active, path }: Plan, carried: Part | null): Part => ({
  ...carried,
  plan_active: active,
  current_plan_file: path ?? carried?.["current_plan_file"] ?? null,
});

const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null;

function tasksIn(context: Part | null | undefined): readonly unknown[] {
  const tasks = context?.["tasks"];
  return Array.isArray(tasks) ? tasks : [];
}
