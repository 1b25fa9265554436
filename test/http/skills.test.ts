import { beforeEach, describe, expect, it } from "vitest";
import { expectRefusal } from "../worker/refusal.ts";
import { document, SkillsDesk } from "./skills-desk.ts";

let desk: SkillsDesk;
beforeEach(() => {
  desk = new SkillsDesk();
});

const errorOf = ({ body }: { body: Record<string, unknown> }) => body["error"];

describe("GET …/skills", () => {
  it("[K2] lists the template's skills and one's own, with whose they are and how they are used", async () => {
    await desk.lab.workspace().change({
      by: "user:ann",
      changes: [
        { kind: "write", path: "skills/pdf/SKILL.md", content: { text: document("pdf") } },
        { kind: "write", path: "skills/broken/SKILL.md", content: { text: "no front matter" } },
      ],
    });
    const { skills, leftOut, drafts } = await desk.list("ann");
    expect(skills.map(({ id, source, state }) => [id, source, state])).toEqual([
      ["minutes_template", "template", "active"],
      ["pdf_own", "own", "active"],
    ]);
    expect(leftOut.map(({ what, kind }) => [what, kind])).toEqual([["skills/broken", "bad"]]);
    expect(drafts).toBe(0);
    expect((await desk.list("bob")).skills.map(({ name }) => name)).toEqual(["minutes"]);
  });

  it("[K1] an agent without skills has none to show", async () => {
    expect(await desk.ask("ann", "bare/skills")).toMatchObject({ status: 404 });
  });

  it("refuses a parameter that it does not know, and strangers", async () => {
    expect(await desk.ask("ann", "main/skills?x=1")).toMatchObject({ status: 400 });
    expect(await desk.ask(null, "main/skills")).toMatchObject({ status: 401 });
    expect(await desk.ask("ann", "main/skills?user=bob")).toMatchObject({ status: 403 });
    expect(await desk.ask("ann", "main/skills?layer=shared")).toMatchObject({ status: 403 });
    expect(await desk.ask("root", "main/skills?layer=shared")).toMatchObject({ status: 200 });
    expect(await desk.ask("root", "main/skills?user=bob")).toMatchObject({ status: 200 });
  });
});

describe("review over HTTP", () => {
  it("[K5] a draft is seen whole and becomes a skill by its hash, once, whoever asks twice", async () => {
    await desk.drafted("ann", "deploy");
    expect((await desk.list("ann")).skills.map(({ name }) => name)).toEqual(["minutes"]);
    const { draft, files } = await desk.candidate("ann", "deploy");
    expect(files.map(({ path, diff, live }) => [path, diff, live])).toEqual([
      ["SKILL.md", null, null],
    ]);
    const wrong = await desk.post("ann", "main/skills/deploy/promote", { hash: "0".repeat(64) });
    expect(wrong).toMatchObject({ status: 409 });
    const { hash } = draft;
    const promoted = await desk.post("ann", "main/skills/deploy/promote", { hash });
    expect(promoted).toMatchObject({ status: 200, body: { name: "deploy", outcome: "promoted" } });
    expect(await desk.post("ann", "main/skills/deploy/promote", { hash })).toEqual(promoted);
    const [skill] = (await desk.list("ann")).skills;
    expect(skill).toMatchObject({ name: "deploy", provenance: { createdBy: "agent" } });
    const { body } = await desk.ask("ann", "main/skills/audit?target=deploy");
    expect(body["lines"]).toMatchObject([
      { op: "promote", actor: "user:ann", beforeHash: null, afterHash: hash },
      { op: "propose", actor: "agent:main/s1", afterHash: hash },
    ]);
  });

  it("[K5] [K7] a skill that a person makes anew under a promoted one's name is that person's, and shows", async () => {
    await desk.drafted("ann", "deploy");
    const { draft } = await desk.candidate("ann", "deploy");
    const staging = { hash: draft.hash, environments: ["staging"] };
    await desk.post("ann", "main/skills/deploy/promote", staging);
    expect((await desk.list("ann")).leftOut).toMatchObject([{ name: "deploy", kind: "filtered" }]);
    const path = "skills/deploy/SKILL.md";
    const content = { text: document("deploy", "Mine.\n") };
    await desk.lab.workspace().change({
      by: "user:ann",
      changes: [
        { kind: "delete", path: "skills/deploy" },
        { kind: "write", path, content },
      ],
    });
    const [deploy] = (await desk.list("ann")).skills;
    expect(deploy).toMatchObject({ name: "deploy", provenance: null });
  });

  it("[K6] turns down and puts off, with the reason on record", async () => {
    await desk.drafted("ann", "one");
    const { draft } = await desk.candidate("ann", "one");
    const { hash } = draft;
    const later = await desk.post("ann", "main/skills/one/defer", { hash, days: 3 });
    expect(later.body).toMatchObject({ outcome: "deferred" });
    const reason = "Too short.";
    const rejected = await desk.post("ann", "main/skills/one/reject", { hash, reason });
    expect(rejected.body).toMatchObject({ outcome: "rejected" });
    const { archived } = await desk.list("ann");
    expect(archived).toMatchObject([{ name: "one", was: "draft" }]);
    const { body } = await desk.ask("ann", "main/skills/audit?op=reject");
    expect(body["lines"]).toMatchObject([{ target: "one", reason }]);
  });

  it("[K5] nobody decides about another's draft, and about a shared one only an admin", async () => {
    await desk.drafted("ann", "mine");
    const { draft } = await desk.candidate("ann", "mine");
    const { hash } = draft;
    expect(await desk.post("bob", "main/skills/mine/promote", { hash })).toMatchObject({
      status: 404,
    });
    expect(await desk.post("bob", "main/skills/mine/promote?user=ann", { hash })).toMatchObject({
      status: 403,
    });
    expect(await desk.ask("bob", "main/skills/drafts?user=ann")).toMatchObject({ status: 403 });
    for (const path of ["drafts", "audit", "curator"])
      expect(await desk.ask("ann", `team/skills/${path}`)).toMatchObject({ status: 403 });
    expect(await desk.ask("root", "team/skills/drafts")).toMatchObject({ status: 200 });
    expect(await desk.post("root", "main/skills/mine/promote?user=ann", { hash })).toMatchObject({
      status: 200,
    });
  });

  it("refuses bodies that are not as expected, and says how to mend them", async () => {
    await desk.drafted("ann", "one");
    for (const body of [{}, { hash: "x" }, { hash: "0".repeat(64), more: 1 }, []])
      expect(await desk.post("ann", "main/skills/one/promote", body)).toMatchObject({
        status: 400,
      });
    for (const query of ["from=yesterday", "limit=0", "limit=x", "op="])
      expect((await desk.ask("ann", `main/skills/audit?${query}`)).status).toBeLessThan(500);
    expect(await desk.post("ann", "main/skills/none/pin")).toMatchObject({ status: 404 });
    expect(
      await desk.post("ann", "main/skills/..%2Fx/promote", { hash: "0".repeat(64) }),
    ).toMatchObject({ status: 404 });
  });
});

describe("a skill that is sent", () => {
  it("[K9] waits as a draft with what the scan found, and is a person's when it is promoted", async () => {
    const sent = await desk.upload("ann", "main/skills/drafts", {
      "notes/SKILL.md": document("notes"),
      "notes/scripts/run.sh": "#!/bin/sh\n(crontab -l; echo x) | crontab -\n",
    });
    expect(sent).toMatchObject({
      status: 201,
      body: { draft: { name: "notes", origin: "upload", files: 2 }, gate: null },
    });
    const { draft, scan } = await desk.candidate("ann", "notes");
    expect(scan.findings.map(({ path }) => path)).toContain("scripts/run.sh");
    await desk.post("ann", "main/skills/notes/promote", { hash: draft.hash });
    const [, notes] = (await desk.list("ann")).skills;
    expect(notes).toMatchObject({ name: "notes", provenance: { createdBy: "person" } });
  });

  it("refuses what is no skill, and what is there already", async () => {
    const refused = async (files: Readonly<Record<string, string>>, status: number) =>
      expect(await desk.upload("ann", "main/skills/drafts", files)).toMatchObject({ status });
    await refused({ "a/readme.md": "x" }, 400);
    await refused({ "../SKILL.md": document("x") }, 400);
    await refused({ "a/SKILL.md": document("a"), "b/SKILL.md": document("b") }, 400);
    await refused({ "SKILL.md": "no front matter" }, 400);
    await refused({ "minutes/SKILL.md": document("minutes") }, 409);
    const text = await desk.post("ann", "main/skills/drafts", {});
    expect(text).toMatchObject({ status: 415 });
    expect(
      (await desk.ask<{ drafts: unknown[] }>("ann", "main/skills/drafts")).body.drafts,
    ).toEqual([]);
    const over = await desk.upload("ann", "main/skills/drafts?over", {
      "minutes/SKILL.md": document("minutes", "Mine.\n"),
    });
    expect(over).toMatchObject({ status: 201, body: { draft: { name: "minutes" } } });
  });
});

describe("how skills are kept", () => {
  it("[K8] puts away and brings back, pins, and runs the curator without doing anything", async () => {
    await desk.drafted("ann", "deploy");
    const { draft } = await desk.candidate("ann", "deploy");
    await desk.post("ann", "main/skills/deploy/promote", { hash: draft.hash });
    await desk.post("ann", "main/skills/deploy/pin");
    expect((await desk.list("ann")).skills[0]).toMatchObject({ name: "deploy", pinned: true });
    expect((await desk.post("ann", "main/skills/deploy/archive")).status).toBe(200);
    const away = await desk.list("ann");
    expect(away.skills.map(({ name }) => name)).toEqual(["minutes"]);
    expect(away.archived).toMatchObject([{ name: "deploy", was: "skill" }]);
    const back = await desk.post("ann", "main/skills/deploy/restore");
    expect(back.body).toMatchObject({ done: "restore", hash: draft.hash });
    expect(errorOf(await desk.post("ann", "main/skills/minutes/archive"))).toMatchObject({
      code: expect.stringMatching(/conflict|invalid/),
    });
    const dry = await desk.post("ann", "main/skills/curator?dry=1");
    expect(dry).toMatchObject({ status: 200, body: { state: "reported", transitions: [] } });
    expect((await desk.ask("ann", "main/skills/curator")).body).toMatchObject({
      isEnabled: true,
      lastRunAt: null,
      report: null,
    });
  });

  it("[K8] the same wish under one key is done once, and answered the same", async () => {
    await desk.drafted("ann", "deploy");
    const { draft } = await desk.candidate("ann", "deploy");
    await desk.post("ann", "main/skills/deploy/promote", { hash: draft.hash });
    for (const kind of ["pin", "unpin", "archive", "restore"]) {
      const wish = () =>
        desk.post("ann", `main/skills/deploy/${kind}`, undefined, { "idempotency-key": kind });
      const first = await wish();
      expect(first.status).toBe(200);
      expect(await wish()).toEqual(first);
    }
    const { body } = await desk.ask<{ lines: unknown[] }>("ann", "main/skills/audit");
    expect(body.lines).toHaveLength(2 + 4);
  });

  it("only an admin has repositories asked", async () => {
    expect(await desk.post("ann", "main/skills/repositories/sync")).toMatchObject({ status: 403 });
    expect(await desk.post("root", "main/skills/repositories/sync")).toMatchObject({
      status: 200,
      body: { repositories: [] },
    });
  });
});

describe("a query of the audit", () => {
  it.each([
    "from=yesterday",
    "from=2026-13-45",
    "to=2026-1-1",
    "limit=0",
    "limit=x",
    "limit=1e9",
    "limit=1.5",
    "limit=",
    `op=${"x".repeat(41)}`,
    `target=${"x".repeat(129)}`,
    `actor=${"x".repeat(301)}`,
    "from=2020-01-01&to=2019-01-01",
    "from=0000-01-01&to=9999-12-31",
  ])("[K6] %s is refused in words that help, or finds nothing", async (query) => {
    await desk.drafted("ann", "deploy");
    const response = await desk.respond("ann", `main/skills/audit?${query}`);
    if (response.ok) expect(await response.json()).toEqual({ lines: [] });
    else await expectRefusal(response);
  });
});
