import type { Workspace } from "../../src/workspace/workspace.ts";

const fail = () => Promise.reject(new Error("this test has no workspace"));

/** For tests in which nobody touches a file: every call fails. */
export const noWorkspace: Workspace = {
  snapshot: fail,
  tree: fail,
  read: fail,
  readMany: fail,
  page: fail,
  glob: fail,
  grep: fail,
  search: fail,
  change: fail,
  history: fail,
  usage: fail,
  rescan: fail,
  whiteouts: fail,
  stageImport: fail,
  commitImport: fail,
  dropImport: fail,
};
