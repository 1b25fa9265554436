import type { Change, Changed } from "../shared/workspace-changes.ts";
import type { FileInfo } from "../shared/workspace-files.ts";
import { CarrelError } from "../shared/errors.ts";
import { workspacePath } from "./layers/path.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The files below one directory as a workspace of their own, whose root it is: nothing outside of it can be named, and
 * nothing says where it lies. What a turn's prompt is made of (`snapshot`) is still that of the whole. Makes no call.
 */
export function workspaceWithin(whole: Workspace, directory: string): Workspace {
  const root = workspacePath(directory);
  if (root === "") throw new Error("the whole workspace is no part of it");
  const paths = pathsWithin(root);
  return toldWithin(root, {
    snapshot: (request) => whole.snapshot(request),
    usage: () => whole.usage(),
    whiteouts: () => Promise.resolve([]),
    ...readingWithin(whole, paths),
    ...lookingWithin(whole, paths),
    ...changingWithin(whole, paths),
    rescan: refuse,
    stageImport: refuse,
    commitImport: refuse,
    dropImport: refuse,
  });
}

/** The same, where what a failure says names nothing outside of the part. */
function toldWithin(root: string, workspace: Workspace): Workspace {
  const guarded = Object.entries(workspace).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await (method as (...given: unknown[]) => Promise<unknown>)(...args);
      } catch (error) {
        if (!(error instanceof CarrelError)) throw error;
        throw new CarrelError(error.code, saidWithin(root, error.message));
      }
    },
  ]);
  return Object.fromEntries(guarded) as Workspace;
}

/** A message as it is where `root` is all that there is; paths that are like one that is not there are left out. */
function saidWithin(root: string, message: string): string {
  const said = message.replace(/ Did you mean (.*)\?$/s, (_, names: string) => {
    const own = names.split(" or ").filter((name) => name.startsWith(`"${root}/`));
    return own.length === 0 ? "" : ` Did you mean ${own.join(" or ")}?`;
  });
  return said.replaceAll(`${root}/`, "").replaceAll(`"${root}"`, '"."');
}

type Paths = ReturnType<typeof pathsWithin>;

/** How a path of the part is written in the whole, and the other way round. */
function pathsWithin(root: string) {
  const outside = (path: string): string => path.slice(root.length + 1);
  const inside = (path: string): string => {
    const own = workspacePath(path);
    return own === "" ? root : `${root}/${own}`;
  };
  const shown = (file: FileInfo): FileInfo => ({ ...file, path: outside(file.path) });
  return { root, inside, outside, shown };
}

/** Reading by path. */
function readingWithin(whole: Workspace, { inside, shown }: Paths) {
  return {
    async read(request) {
      const answer = await whole.read({ ...request, path: inside(request.path) });
      return { ...answer, file: shown(answer.file) };
    },
    async readMany(request) {
      const { files } = await whole.readMany({ ...request, paths: request.paths.map(inside) });
      return { files: files.map((file) => file && { ...file, file: shown(file.file) }) };
    },
    async page(request) {
      const answer = await whole.page({ ...request, path: inside(request.path) });
      return { ...answer, file: shown(answer.file) };
    },
    history: (path) => whole.history(inside(path)),
  } satisfies Partial<Workspace>;
}

/** Lists and searches of a directory. */
function lookingWithin(whole: Workspace, { inside, outside, shown }: Paths) {
  return {
    async tree(request) {
      const after = request.after === undefined ? {} : { after: inside(request.after) };
      const answer = await unlessNone(
        whole.tree({ ...request, ...after, directory: inside(request.directory ?? "") }),
        { entries: [], total: 0, cut: false },
        workspacePath(request.directory ?? "") === "",
      );
      const entries = answer.entries.map((entry) => ({
        ...entry,
        path: outside(entry.path),
        file: entry.file && shown(entry.file),
      }));
      return { ...answer, entries };
    },
    async glob(request) {
      const answer = await unlessNone(
        whole.glob({ ...request, path: inside(request.path ?? "") }),
        { files: [], total: 0, cut: false },
        workspacePath(request.path ?? "") === "",
      );
      return { ...answer, files: answer.files.map(shown) };
    },
    async grep(request) {
      const from = request.from === undefined ? {} : { from: inside(request.from) };
      const answer = await unlessNone(
        whole.grep({ ...request, ...from, path: inside(request.path ?? "") }),
        { hits: [], searched: 0, cut: null, next: null, skipped: 0, longLines: 0 },
        workspacePath(request.path ?? "") === "",
      );
      const hits = answer.hits.map((hit) => ({ ...hit, path: outside(hit.path) }));
      return { ...answer, hits, next: answer.next === null ? null : outside(answer.next) };
    },
    async search(request) {
      const answer = await whole.search({ ...request, path: inside(request.path ?? "") });
      const hits = answer.hits.map((hit) => ({ ...hit, path: outside(hit.path) }));
      return { ...answer, hits };
    },
  } satisfies Partial<Workspace>;
}

function changingWithin(whole: Workspace, { root, inside, shown }: Paths) {
  const changed = ({ file, ...rest }: Changed): Changed => ({ ...rest, file: file && shown(file) });
  return {
    async change(request) {
      const changes = request.changes.map((one): Change => {
        const path = inside(one.path);
        return one.kind === "move" ? { ...one, path, to: inside(one.to) } : { ...one, path };
      });
      const isRoot = changes.some(({ path }) => path === root);
      if (isRoot) throw new CarrelError("invalid", "The root of the workspace is no file.");
      const { purge, ...rest } = request;
      const purged = purge === undefined ? {} : { purge: purge.map(inside) };
      return (await whole.change({ ...rest, ...purged, changes })).map(changed);
    },
  } satisfies Partial<Workspace>;
}

const refuse = () =>
  Promise.reject(new CarrelError("forbidden", "This cannot be done in a part of a workspace."));

/** A directory that nobody has written into yet is an empty workspace. */
async function unlessNone<Answer>(
  work: Promise<Answer>,
  none: Answer,
  isRoot: boolean,
): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    if (isRoot && error instanceof CarrelError && error.code === "not_found") return none;
    throw error;
  }
}
