import type { TaskDesk } from "../../src/tools/task-desk.ts";

const refuse = (): never => {
  throw new Error("nothing is handed on here");
};

/** The desk of a session that hands nothing on. */
export const noTasks: TaskDesk = {
  handOn: refuse,
  adopt: refuse,
  find: () => null,
  list: () => [],
  open: () => 0,
  release: refuse,
  delivered: refuse,
  cancel: refuse,
  child: () => null,
  children: () => [],
  held: null,
};
