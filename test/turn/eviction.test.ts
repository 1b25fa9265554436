import { describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import type { ContentPart } from "../../src/shared/messages.ts";
import { fileTools } from "../../src/tools/files/file-tools.ts";
import { defaultEviction } from "../../src/turn/eviction/config.ts";
import { nodeWorkspace } from "../support/node-workspace.ts";
import { evictingLab, giving, long, readBy, small } from "./evicting-lab.ts";
import { SessionLab } from "./session-lab.ts";

describe("a tool's result that is too long", () => {
  it("[C8, S7, W2] is in a file that read_file opens, with its ends in the context, and its event says so", async () => {
    const whole = long(250_000);
    const lab = evictingLab({ gives: () => whole, eviction: defaultEviction });
    await lab.say();
    const { evicted } = lab.result();
    expect(evicted).toEqual({
      path: expect.stringMatching(
        /^large_tool_results\/s1\/fetch_page-call_\d+_0-[0-9a-f]{16}\.txt$/,
      ) as string,
      chars: 250_000,
    });
    const path = evicted?.path ?? "";
    expect(await lab.files.text(path)).toBe(whole);
    expect(await readBy(lab.lab, path)).toBe(whole);
    const text = lab.text();
    expect(text).toMatch(
      /^\[The result of fetch_page is too long for the conversation: it has 250,000 characters\. /,
    );
    expect(text).toContain(`All of it is in ${path}. Read on with read_file, path="${path}".`);
    expect(text).toContain(whole.slice(0, 2_000));
    expect(text).toContain("[… 246,000 characters are left out here …]");
    expect(text.endsWith(whole.slice(-2_000))).toBe(true);
    expect(text.length).toBeLessThan(4_500);
    expect(lab.lab.witness.requests[1]?.messages.at(-1)).toMatchObject({
      results: [{ status: "success", content: [{ text }] }],
    });
    const listener = lab.lab.listen();
    await lab.lab.settle();
    const told = listener.frames().find(({ event }) => event.type === "tool-result");
    expect(told?.event).toMatchObject({ evicted, content: [{ text }] });
  });

  it("[C8] is one with more characters than it may have, all its texts together, and not one with as many", async () => {
    const parts = (chars: number): ContentPart[] => [
      { type: "text", text: "a".repeat(600) },
      { type: "text", text: "b".repeat(chars - 600) },
    ];
    const just = evictingLab({ gives: () => parts(1_000) });
    await just.say();
    expect(just.result()).toMatchObject({ content: parts(1_000) });
    expect(just.result()).not.toHaveProperty("evicted");
    const over = evictingLab({ gives: () => parts(1_001) });
    await over.say();
    expect(over.result().evicted?.chars).toBe(1_002);
    expect(await over.files.text(over.result().evicted?.path ?? "")).toBe(
      `${"a".repeat(600)}\n${"b".repeat(401)}`,
    );
  });

  it("[C8] keeps its images and its status, and shows no file whole any more", async () => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const content: ContentPart[] = [
      image,
      { type: "text", text: long(900) },
      image,
      { type: "text", text: long(900) },
    ];
    const lab = evictingLab({ gives: () => ({ content, seen: { "a.md": "1" } }) });
    await lab.say();
    const result = lab.result();
    expect(result.content.map(({ type }) => type)).toEqual(["image", "text", "image"]);
    expect(result).toMatchObject({ status: "success", evicted: { chars: 1_801 } });
    expect(result).not.toHaveProperty("seen");
  });

  it("stays as it is where its tool is excluded, where nothing can read files, and where it is off", async () => {
    const gives = () => long(2_000);
    const excluded = { ...small, excludedToolNames: ["fetch_page"] };
    const give = giving(gives);
    const labs = [
      evictingLab({ gives, eviction: excluded }),
      evictingLab({ gives, tools: [give] }),
      new SessionLab({ tools: [give, ...fileTools] }),
    ];
    for (const one of labs) {
      const lab = one instanceof SessionLab ? one : one.lab;
      lab.say("t", [{ calls: [{ name: "fetch_page", input: "{}" }] }, { text: "ok" }]);
      await lab.settle();
      expect(lab.entries().find(({ kind }) => kind === "result")).toMatchObject({
        content: [{ text: gives() }],
      });
    }
    const most = evictingLab({
      gives: () => long(100_001),
      eviction: { ...small, maxResultChars: 500_000 },
    });
    await most.say();
    expect(most.result().evicted?.chars).toBe(100_001);
  });

  it.each([
    new CarrelError("quota_exceeded", "The workspace is full."),
    new CarrelError("overloaded", "The workspace is busy."),
    new Error("connection lost"),
  ])("stays as it would be without a file where that cannot be written: %s", async (error) => {
    const files = { ...nodeWorkspace(), change: () => Promise.reject(error) };
    const lab = evictingLab({ gives: () => long(150_000), files });
    await lab.say();
    expect(lab.result()).not.toHaveProperty("evicted");
    expect(lab.text()).toMatch(
      /^line 0\.[^]*\[Cut here: 100,000 of 150,000 characters are shown\.\]$/,
    );
    expect(lab.lab.story()).toMatch(/end:completed$/);
    expect(lab.lab.log.join("\n")).toContain("warn eviction_failed");
  });

  it("stays as it is where the workspace does not answer, and a stop does not wait for it", async () => {
    const files = { ...nodeWorkspace(), change: () => new Promise<never>(() => {}) };
    const slow = evictingLab({ gives: () => long(2_000), files });
    await slow.say();
    await slow.lab.clock.pass(600_000);
    expect(slow.text()).toBe(long(2_000));
    const stopped = evictingLab({ gives: () => long(2_000), files });
    await stopped.say();
    stopped.lab.session.stop();
    await stopped.lab.settle();
    expect(stopped.lab.story()).toMatch(/end:stopped$/);
  });

  it.each(["pure", "unsafe"] as const)(
    "[T5, C8] of a tool that is %s is evicted once, wherever the object ends meanwhile",
    async (replay) => {
      for (const point of ["tool:after", "commit:result:before", "commit:result:after"] as const) {
        const lab = evictingLab({ gives: () => long(2_000), replay });
        let isDead = false;
        lab.lab.onPoint = (name) => {
          isDead ||= name === point;
          if (isDead) throw new Error("crash");
        };
        await lab.say().catch(() => {});
        lab.lab.onPoint = () => {};
        lab.lab.restart();
        await lab.lab.fireAlarm();
        const results = lab.lab.entries().filter(({ kind }) => kind === "result");
        expect(results, point).toHaveLength(1);
        const paths = Object.keys(await lab.files.files());
        expect(paths, point).toHaveLength(1);
        const isKnown = replay === "pure" || point === "commit:result:after";
        if (isKnown) expect(lab.result().evicted?.path).toBe(paths[0]);
        else expect(lab.result().status).toBe("unknown");
      }
    },
  );

  it("is evicted also where it looks like what stands for one, and twice the same call's name keeps both files", async () => {
    const first = evictingLab({ gives: () => long(2_000) });
    await first.say();
    const fake = `${first.text()}${" ".repeat(2_000)}`;
    let given = fake;
    const lab = evictingLab({ gives: () => given });
    await lab.say("a");
    expect(await lab.files.text(lab.result().evicted?.path ?? "")).toBe(fake);
    given = long(3_000);
    await lab.say("b");
    expect(Object.keys(await lab.files.files())).toHaveLength(2);
  });

  it("[C8] may say anything: halves of characters, NUL, odd names, nothing to show of it", async () => {
    const gives = () => `${"😀".repeat(600)}\0\uD83D${"😀".repeat(600)}`;
    const config = { ...small, previewChars: 51 };
    const lab = evictingLab({ gives, eviction: config, name: "mcp__x__a-b" });
    await lab.say();
    const path = lab.result().evicted?.path ?? "";
    expect(path).toMatch(/^large_tool_results\/s1\/mcp__x__a-b-call_/);
    expect(await lab.files.text(path)).toBe(`${"😀".repeat(600)}\u2400\uFFFD${"😀".repeat(600)}`);
    expect(lab.text().isWellFormed()).toBe(true);
    expect(lab.text()).toContain("Here are its first 50 and its last 50 characters.");
    const silent = evictingLab({ gives, eviction: { ...small, previewChars: 0 } });
    await silent.say();
    expect(silent.text()).toMatch(/\.txt"\.\]\n\[… 2,402 characters are left out here …\]$/);
    const halves = evictingLab({
      gives: () => "ab".repeat(600),
      eviction: { ...small, previewChars: 9_000 },
    });
    await halves.say();
    expect(halves.text()).toMatch(/\]\n(?:ab){300}\n(?:ab){300}$/);
  });

  it("[C8] of more than a file holds is in several, and says where it was cut", async () => {
    const line = `${"国".repeat(99)}\n`;
    const lab = evictingLab({ gives: () => line.repeat(8_000) });
    await lab.say();
    const paths = Object.keys(await lab.files.files()).toSorted();
    expect(paths.map((path) => /-\d\.txt$/.exec(path)?.[0])).toEqual([
      "-1.txt",
      "-2.txt",
      "-3.txt",
    ]);
    const texts = await Promise.all(paths.map((path) => lab.files.text(path)));
    expect(texts.join("")).toBe(line.repeat(8_000));
    expect(texts.every((text) => text?.endsWith("\n"))).toBe(true);
    expect(lab.text()).toContain(`All of it is in 3 files, from ${paths[0]} to ${paths[2]}.`);

    const huge = evictingLab({ gives: () => "x".repeat(9 * 1024 * 1024) });
    await huge.say();
    const last =
      Object.keys(await huge.files.files())
        .toSorted()
        .at(-1) ?? "";
    expect(last).toMatch(/-8\.txt$/);
    expect(await huge.files.text(last)).toMatch(
      /x\n\[Cut here: no more than 8 MiB of a result is kept\.\]$/,
    );
    expect(huge.text()).toMatch(
      /Its first 8,388,508 characters are in 8 files[^]*Find places in its longest lines/,
    );
  });
});
