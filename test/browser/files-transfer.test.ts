import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../support/random.ts";
import { buildZip } from "../support/zip-builder.ts";
import { useFilesDesk, WIDE } from "./files-desk.ts";

const files = useFilesDesk();

const noise = (length: number): Buffer => {
  const random = seededRandom(7);
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
};

const upload = (...names: readonly [string, Buffer | string][]) =>
  files()
    .page.locator("#files-upload-input")
    .setInputFiles(
      names.map(([name, content]) => ({
        name,
        mimeType: "text/plain",
        buffer: Buffer.from(content),
      })),
    );

describe("[W5] uploads", () => {
  it("arrive byte for byte in the folder where one is, and are listed", async () => {
    const bytes = noise(300_000);
    await files().open(WIDE);
    await files().row("knowledge").click();
    const choosing = files().page.waitForEvent("filechooser");
    await files().button("Upload").click();
    await (
      await choosing
    ).setFiles([
      { name: "noise.bin", mimeType: "application/x-thing", buffer: bytes },
      { name: "empty.txt", mimeType: "", buffer: Buffer.alloc(0) },
      { name: "lines.txt", mimeType: "text/plain", buffer: Buffer.from("\uFEFFa\r\nb") },
    ]);
    await files().panel.getByText("3 of 3 files uploaded.").waitFor();
    await files().row("noise.bin yours").waitFor();
    const { workspace } = files();
    expect((await workspace.bytes("knowledge/noise.bin"))?.equals(bytes)).toBe(true);
    expect(await workspace.text("knowledge/empty.txt")).toBe("");
    expect(await workspace.text("knowledge/lines.txt")).toBe("\uFEFFa\r\nb");
    expect(files().workspace.writes.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual(["*", "*", "*"]);
    await files().button("Clear").click();
    expect(await files().panel.getByText("3 of 3 files uploaded.").isVisible()).toBe(false);
  });

  it("replace nothing unless told to, and go on after one that fails", async () => {
    await files().open(WIDE);
    await files().row("AGENTS.md").focus();
    await files().workspace.put("own", "taken.txt", "before\n");
    const choosing = files().page.waitForEvent("filechooser");
    await files().button("Upload").click();
    const chooser = await choosing;
    await chooser.setFiles([
      { name: "taken.txt", mimeType: "", buffer: Buffer.from("after\n") },
      { name: "free.txt", mimeType: "", buffer: Buffer.from("free\n") },
    ]);
    await files().panel.getByText("1 of 2 files uploaded.").waitFor();
    await files().panel.getByText("There is a file of this name already.").waitFor();
    expect(await files().workspace.text("taken.txt")).toBe("before\n");
    expect(await files().workspace.text("free.txt")).toBe("free\n");
    await files().panel.getByRole("button", { name: "Replace it: taken.txt" }).click();
    await files().panel.getByText("2 of 2 files uploaded.").waitFor();
    expect(await files().workspace.text("taken.txt")).toBe("after\n");
  });

  it("that are refused say why, and can be tried again", async () => {
    await files().open(WIDE);
    files().workspace.refusals.push({
      method: "PUT",
      status: 413,
      code: "too_large",
      message: "The file is larger than 25 MiB.",
    });
    await upload(["big.bin", "big"], ["back\\slash.txt", "x"]);
    await files().panel.getByText("The file is larger than 25 MiB.").waitFor();
    await files().panel.getByText("Separate folders with “/”.").waitFor();
    await files().panel.getByRole("button", { name: "Try again: big.bin" }).click();
    await files().panel.getByText("1 of 2 files uploaded.").waitFor();
    expect(await files().workspace.text("big.bin")).toBe("big");
  });

  it("can be dropped on a folder, and replace the page nowhere in the panel", async () => {
    await files().open(WIDE);
    const drop = (target: ReturnType<typeof files>["editor"], name: string) =>
      target.evaluate((node, fileName) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array([0, 200, 10])], fileName));
        const options = { dataTransfer, bubbles: true, cancelable: true };
        node.dispatchEvent(new DragEvent("dragover", options));
        return !node.dispatchEvent(new DragEvent("drop", options));
      }, name);
    expect(await drop(files().row("knowledge"), "dropped.bin")).toBe(true);
    await files().panel.getByText("1 of 1 file uploaded.").waitFor();
    const stored = await files().workspace.bytes("knowledge/dropped.bin");
    expect(stored).toEqual(Buffer.from([0, 200, 10]));
    expect(await drop(files().panel.getByRole("heading", { name: "Files" }), "lost.bin")).toBe(
      true,
    );
    expect(files().workspace.writes.length).toBe(1);
  });
});

describe("[W17] the archive", () => {
  it("of all files is downloaded", async () => {
    await files().open();
    const coming = files().page.waitForEvent("download");
    await files().button("Export").click();
    const download = await coming;
    expect(download.suggestedFilename()).toMatch(/\.zip$/);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const unpacked = unzipSync(Buffer.concat(chunks));
    expect(Object.keys(unpacked)).toEqual(["notes/mine.txt"]);
    expect(Buffer.from(unpacked["notes/mine.txt"] ?? []).toString()).toBe("mine\n");
  });

  it("is imported byte for byte after a question, or refused in the server's words", async () => {
    await files().open();
    const bytes = noise(5_000);
    const buffer = Buffer.from(
      buildZip([
        { name: "noise.bin", content: bytes },
        { name: "AGENTS.md", content: "# Old\n" },
      ]),
    );
    const archive = { name: "old.zip", mimeType: "application/zip", buffer };
    const input = files().page.locator("#files-import-input");
    const dialog = files().dialog("Import an archive");
    await input.setInputFiles(archive);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(files().workspace.imports).toEqual([]);
    await input.setInputFiles(archive);
    await dialog.getByRole("button", { name: "Import" }).click();
    await files().panel.getByText("2 files imported.").waitFor();
    expect(files().workspace.imports[0]?.equals(archive.buffer)).toBe(true);
    expect((await files().workspace.bytes("noise.bin"))?.equals(bytes)).toBe(true);
    expect(await files().workspace.text("AGENTS.md")).toBe("# Old\n");
    await input.setInputFiles({ ...archive, buffer: bytes });
    await dialog.getByRole("button", { name: "Import" }).click();
    await files()
      .panel.getByText("The archive is refused, and nothing of it was stored: ")
      .waitFor();
  });
});
