import { byId, icon, setText } from "../dom.js";
import { ask } from "../ask.js";
import { download } from "./download.js";
import { canonicalPath, joinPath, pathProblem } from "./path.js";

/**
 * What the tools need of the panel.
 * @typedef {{ api: () => import('./api.js').FilesApi, folder: () => string,
 *   upload: (chosen: { path: string, file: Blob }[]) => void, made: (path: string) => void,
 *   imported: (text: string) => void, fail: (error: unknown) => void }} Panel
 */

/** The buttons over the tree: a new file, uploads, and the archive of all files. */
export class FileTools {
  #form = /** @type {HTMLFormElement} */ (byId("files-new-form"));
  #path = /** @type {HTMLInputElement} */ (byId("files-new-path"));
  #why = byId("files-new-why");
  #opener = byId("files-new");
  #panel;

  /** @param {Panel} panel */
  constructor(panel) {
    this.#panel = panel;
    this.#opener.prepend(icon("plus"));
    this.#opener.addEventListener("click", () => this.#openForm());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#make();
    });
    this.#form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#closeForm();
    });
    byId("files-new-cancel").addEventListener("click", () => this.#closeForm());
    this.#path.addEventListener("input", () => this.#say(""));
    this.#listenForUploads();
    this.#listenForArchives();
  }

  #openForm() {
    const folder = this.#panel.folder();
    this.#path.value = folder === "" ? "" : `${folder}/`;
    this.#say("");
    this.#form.hidden = false;
    this.#opener.setAttribute("aria-expanded", "true");
    this.#path.focus();
  }

  #closeForm() {
    this.#form.hidden = true;
    this.#opener.setAttribute("aria-expanded", "false");
    this.#opener.focus();
  }

  /** @param {string} problem */
  #say(problem) {
    setText(this.#why, problem);
    this.#path.setAttribute("aria-invalid", String(problem !== ""));
  }

  async #make() {
    const raw = this.#path.value.trim();
    const problem = pathProblem(raw);
    if (problem !== null) return this.#say(problem);
    const path = canonicalPath(raw);
    try {
      await this.#panel.api().write(path, "", null);
      this.#closeForm();
      this.#panel.made(path);
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  #listenForUploads() {
    const input = /** @type {HTMLInputElement} */ (byId("files-upload-input"));
    const button = byId("files-upload");
    let folder = "";
    button.prepend(icon("upload"));
    button.addEventListener("click", () => {
      folder = this.#panel.folder();
      input.click();
    });
    input.addEventListener("change", () => {
      const files = [...(input.files ?? [])];
      this.#panel.upload(files.map((file) => ({ path: joinPath(folder, file.name), file })));
      input.value = "";
    });
  }

  #listenForArchives() {
    const input = /** @type {HTMLInputElement} */ (byId("files-import-input"));
    const out = /** @type {HTMLButtonElement} */ (byId("files-export"));
    out.addEventListener("click", () => void this.#export(out));
    byId("files-import").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const [archive] = input.files ?? [];
      if (archive) void this.#import(archive).finally(() => (input.value = ""));
    });
  }

  /** @param {HTMLButtonElement} button */
  async #export(button) {
    button.disabled = true;
    try {
      download(await this.#panel.api().archive(), "carrel-files.zip");
    } catch (error) {
      this.#panel.fail(error);
    } finally {
      button.disabled = false;
    }
  }

  /** @param {File} archive */
  async #import(archive) {
    const choice = await ask({
      title: "Import an archive",
      text: `All files of “${archive.name}” are stored as yours, in place of what has the same path. Export first to keep what you have.`,
      choices: [
        { name: "cancel", label: "Cancel" },
        { name: "import", label: "Import" },
      ],
    });
    if (choice !== "import") return;
    try {
      const { files } = await this.#panel.api().importArchive(archive);
      this.#panel.imported(
        files === undefined ? "Imported." : `${files} ${files === 1 ? "file" : "files"} imported.`,
      );
    } catch (error) {
      this.#panel.fail(error);
    }
  }
}
