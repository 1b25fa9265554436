import type { PromiseFsClient } from "isomorphic-git";

/** The files of a bare repository that lives as long as it is read: all that `isomorphic-git` needs of a file system. */
export function createMemoryFiles(files: Map<string, Uint8Array>): PromiseFsClient {
  const below = (path: string) => [...files.keys()].filter((key) => key.startsWith(`${path}/`));
  const stat = async (path: string) => {
    const file = files.get(path);
    if (file === undefined && below(path).length === 0) throw missing(path);
    return statOf(file);
  };
  return {
    promises: {
      async readFile(path: string, options?: string | { readonly encoding?: string }) {
        const file = files.get(path);
        if (file === undefined) throw missing(path);
        const encoding = typeof options === "string" ? options : options?.encoding;
        return encoding === "utf8" ? new TextDecoder().decode(file) : file;
      },
      async writeFile(path: string, data: string | Uint8Array) {
        files.set(path, typeof data === "string" ? new TextEncoder().encode(data) : data);
      },
      async unlink(path: string) {
        if (!files.delete(path)) throw missing(path);
      },
      async readdir(path: string) {
        return [...new Set(below(path).map((key) => key.slice(path.length + 1).split("/")[0]))];
      },
      stat,
      lstat: stat,
      // A directory is there as soon as something is in it.
      async mkdir() {},
      async rmdir() {},
      async readlink(path: string) {
        throw missing(path);
      },
      async symlink(_target: string, path: string) {
        throw missing(path);
      },
    },
  };
}

const missing = (path: string) => Object.assign(new Error(`no file ${path}`), { code: "ENOENT" });

const statOf = (file: Uint8Array | undefined) => ({
  size: file?.length ?? 0,
  mode: file === undefined ? 0o40755 : 0o100644,
  mtimeMs: 0,
  ctimeMs: 0,
  isFile: () => file !== undefined,
  isDirectory: () => file === undefined,
  isSymbolicLink: () => false,
});
