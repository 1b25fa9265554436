import { describe, expect, it } from "vitest";
import { xssCorpus } from "../public/xss-corpus.ts";
import { useDesk } from "./desk.ts";

const desk = useDesk();

describe("hostile text", () => {
  it("runs nothing, asks no stranger for anything and becomes no element of its own, wherever it comes from", async () => {
    await desk().open();
    const all = xssCorpus.join("\n\n");
    const turn = await desk().begin(all);
    turn.reasoning(all);
    for (const text of xssCorpus) turn.text(`${text}\n\n`);
    turn
      .call(xssCorpus[2] ?? "", JSON.stringify(all))
      .endStep()
      .result("error", all)
      .step()
      .call("fetch", "{}")
      .endStep()
      .evicted(all, { path: all, chars: 1 });
    const figures = { messages: 1, tokens: 1 };
    for (const how of ["summary", "cut", "failed"] as const)
      desk()
        .server.session(desk().server.posts[0]?.session ?? "")
        .fact({ type: "compacted", how, before: figures, after: figures, why: all, at: 1 });
    turn.step();
    for (const text of xssCorpus) turn.call(text, text);
    turn
      .text("the end")
      .endStep()
      .end("failed", { code: xssCorpus[0] ?? "", message: all });
    await desk().page.getByText("the end").waitFor();
    await desk().page.getByRole("group", { name: "Error" }).waitFor();
    for (const summary of await desk().page.locator("#turns summary").all()) await summary.click();
    const found = await desk()
      .page.locator("#turns")
      .evaluate((root) => {
        const nodes = [...root.querySelectorAll("*")];
        const links = nodes.flatMap((node) => (node instanceof HTMLAnchorElement ? [node] : []));
        return {
          tags: [...new Set(nodes.map((node) => node.localName))],
          attributes: [...new Set(nodes.flatMap((node) => node.getAttributeNames()))],
          protocols: [...new Set(links.map((link) => link.protocol))],
          rels: [...new Set(links.map((link) => link.rel))],
        };
      });
    const tags =
      "article div p h2 h3 h4 h5 h6 section details summary figure figcaption pre code span button svg path strong em del a br ul ol li blockquote table thead tbody tr th td hr";
    expect(tags.split(" ")).toEqual(expect.arrayContaining(found.tags));
    expect(
      found.attributes.filter((name) => name.startsWith("on") || name === "style" || name === "id"),
    ).toEqual([]);
    expect(["http:", "https:", "mailto:"]).toEqual(expect.arrayContaining(found.protocols));
    expect(found.rels).toEqual(["noopener noreferrer"]);
    expect(desk().watched).toMatchObject({ foreign: [], dialogs: [], errors: [] });
  });

  it("could do nothing even if it became a script: the policy of the page forbids it", async () => {
    await desk().open();
    const outcome = await desk().page.evaluate(async () => {
      const blocked = new Set<string>();
      const areBlocked = new Promise<void>((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => {
          blocked.add(event.effectiveDirective);
          if (blocked.has("img-src") && blocked.has("connect-src")) resolve();
        });
      });
      const script = document.createElement("script");
      let isRefused = false;
      try {
        script.textContent = "window.pwned = true";
      } catch {
        isRefused = true;
      }
      document.body.append(script);
      const image = document.createElement("img");
      image.src = "https://evil.example/pixel.png";
      document.body.append(image);
      await fetch("https://evil.example/").catch(() => {});
      await areBlocked;
      return { isRefused, pwned: "pwned" in window };
    });
    expect(outcome).toEqual({ isRefused: true, pwned: false });
  });
});
