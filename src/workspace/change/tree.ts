import type { OverlayEntry } from "../layers/overlay.ts";
import { nameOf, parentOf } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";

/** What shows, as a tree that files can be added to one by one, so that an import does not lay all over again for each. */
export class ChangeTree<File> {
  readonly #files = new Map<WorkspacePath, OverlayEntry<File>>();
  readonly #children = new Map<WorkspacePath, Set<WorkspacePath>>();

  constructor(entries: readonly OverlayEntry<File>[]) {
    for (const entry of entries) this.add(entry);
  }

  /** Adds a file, or takes its place. Nothing may show above or below it. */
  add(entry: OverlayEntry<File>): void {
    this.#files.set(entry.path, entry);
    for (let child = entry.path; nameOf(child) !== ""; child = parentOf(child)) {
      const parent = parentOf(child);
      const siblings = this.#children.get(parent) ?? new Set();
      this.#children.set(parent, siblings.add(child));
    }
  }

  get(path: WorkspacePath): OverlayEntry<File> | null {
    return this.#files.get(path) ?? null;
  }

  /** The file at `path` or the files below it, in any order. */
  under(path: WorkspacePath): OverlayEntry<File>[] {
    const file = this.#files.get(path);
    if (file) return [file];
    return [...(this.#children.get(path) ?? [])].flatMap((child) => this.under(child));
  }
}
