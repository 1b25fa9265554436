import { describe, expect, it } from "vitest";
import { useDesk } from "./desk.ts";

const desk = useDesk();

/** One transparent pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("pictures", () => {
  it("are shown before they are sent, can be taken back, and go with the message", async () => {
    await desk().open();
    const buffer = Buffer.from(PIXEL, "base64");
    const files = ["a.png", "b.png"].map((name) => ({ name, mimeType: "image/png", buffer }));
    await desk().page.locator("#file").setInputFiles(files);
    await desk().page.getByAltText("b.png").waitFor();
    await desk().page.getByRole("button", { name: "Remove a.png" }).click();
    const turn = await desk().begin("What is this?");
    expect(turn.content).toEqual([
      { type: "image", mediaType: "image/png", data: PIXEL },
      { type: "text", text: "What is this?" },
    ]);
    turn.text("A pixel.").end();
    await desk().page.getByText("A pixel.").waitFor();
    expect(await desk().page.locator(".asked img").count()).toBe(1);
    expect(await desk().page.locator("#pictures").isVisible()).toBe(false);
    expect(desk().watched).toMatchObject({ foreign: [], dialogs: [], errors: [] });
  });

  it("can be pasted", async () => {
    await desk().open();
    await desk()
      .page.getByRole("textbox", { name: "Message" })
      .evaluate((node, base64) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([bytes], "clip.png", { type: "image/png" }));
        node.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
        );
      }, PIXEL);
    await desk().page.getByAltText("clip.png").waitFor();
  });

  it("that are too large are made smaller", async () => {
    await desk().open();
    const noise = await desk().page.evaluate(() => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 1_200;
      const context = canvas.getContext("2d");
      const image = new ImageData(1_200, 1_200);
      for (let at = 0; at < image.data.length; at++)
        image.data[at] = at % 4 === 3 ? 255 : (at * 7919) % 251;
      context?.putImageData(image, 0, 0);
      return canvas.toDataURL("image/png").split(",")[1] ?? "";
    });
    const buffer = Buffer.concat([Buffer.from(noise, "base64"), Buffer.alloc(1_000_000)]);
    await desk()
      .page.locator("#file")
      .setInputFiles({ name: "photo.png", mimeType: "image/png", buffer });
    await desk().page.getByAltText("photo.png").waitFor();
    const turn = await desk().begin("see");
    const [picture] = turn.content;
    expect(picture).toMatchObject({ type: "image", mediaType: "image/jpeg" });
    expect(picture?.type === "image" && picture.data.length <= 1_000_000).toBe(true);
  });

  it("that cannot be sent are refused with the reason", async () => {
    await desk().open();
    await desk()
      .page.locator("#file")
      .setInputFiles({ name: "big.png", mimeType: "image/png", buffer: Buffer.alloc(1_000_001) });
    await desk().page.getByRole("alert").getByText("“big.png” is too large").waitFor();
    await desk()
      .page.locator("#file")
      .setInputFiles({ name: "x.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") });
    await desk().page.getByRole("alert").getByText("Only PNG, JPEG, GIF and WebP").waitFor();
    expect(await desk().page.locator("#pictures li").count()).toBe(0);
  });
});
