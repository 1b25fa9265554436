import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CarrelError } from "../../../../src/shared/errors.ts";
import { createGuardedFetch } from "../../../../src/shared/guarded-fetch.ts";
import {
  gitSkills,
  type GitSkillsOptions,
} from "../../../../src/skills/repositories/git/git-skills.ts";
import { type Fetched, repositoryLimits } from "../../../../src/skills/repositories/repository.ts";
import { commit, git, type GitFile, GitServer } from "../../../support/git-server.ts";

const server = new GitServer();
let made = 0;
let directory = "";
let url = "";

beforeAll(() => server.start());
afterAll(() => server.close());
beforeEach(() => {
  const name = `acme/repository-${(made += 1)}.git`;
  directory = server.add(name);
  url = `${server.url}/${name}`;
  server.intercept = () => false;
  server.requests.splice(0);
});

const skill = (path: string, body = "x"): GitFile => ({
  path: `${path}/SKILL.md`,
  content: `---\nname: x\n---\n${body}`,
});

const partsOf = (binding: (name: string) => unknown = () => undefined) => ({
  fetch: createGuardedFetch({ trustedOrigins: [server.url] }),
  binding,
  limits: repositoryLimits,
  signal: new AbortController().signal,
});

async function read(options: Partial<GitSkillsOptions> = {}, parts = partsOf()): Promise<Fetched> {
  const answer = await gitSkills({ url, ...options }).take(null, parts);
  if (answer === "unchanged") throw new Error("nothing was known");
  return answer;
}

async function failure(options: Partial<GitSkillsOptions> = {}, parts = partsOf()) {
  const error = await read(options, parts).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CarrelError)) throw error;
  return error;
}

const names = ({ skills }: Fetched) => skills.map(({ directory: name }) => name);

describe("where the skills are", () => {
  it("[K2] in skills/ if it is there, and in .agents/skills/, but nowhere else", async () => {
    commit(directory, [
      skill("skills/pdf"),
      skill(".agents/skills/csv"),
      skill("other"),
      { path: "skills/README.md", content: "x" },
    ]);
    expect(names(await read())).toEqual(["pdf", "csv"]);
  });

  it("[K2] else in the root, and in .agents/skills/", async () => {
    commit(directory, [skill("pdf"), skill(".agents/skills/csv"), { path: "docs/a", content: "" }]);
    expect(names(await read())).toEqual(["pdf", "csv"]);
  });

  it("[K2] or in the path that is named, and only there", async () => {
    commit(directory, [skill("a/b/one"), skill("skills/two"), skill(".agents/skills/three")]);
    expect(names(await read({ path: "a/b/" }))).toEqual(["one"]);
    const error = await failure({ path: "a/c" });
    expect(error.code).toBe("not_found");
    expect(error.message).toMatch(/no directory "a\/c"/);
  });

  it("[K2] a directory that is named, or a repository, can be one skill", async () => {
    commit(directory, [skill("skills/pdf"), { path: "skills/pdf/references/a.md", content: "a" }]);
    const { skills } = await read({ path: "skills/pdf" });
    expect(skills).toMatchObject([
      { directory: "pdf", files: [{ path: "SKILL.md" }, { path: "references/a.md" }] },
    ]);
    commit(directory, [{ path: "SKILL.md", content: "x" }]);
    expect(names(await read())).toEqual([`repository-${made}`]);
  });

  it("[K1] one of skills/ hides its namesake in .agents/skills/, which is said", async () => {
    commit(directory, [skill("skills/pdf", "this"), skill(".agents/skills/pdf", "that")]);
    const { skills, problems } = await read();
    expect(JSON.stringify(skills)).toContain("this");
    expect(skills).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining(".agents/skills/pdf")]);
  });
});

describe("what is in them", () => {
  it("[K2] text, bytes and what can be run", async () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256);
    commit(directory, [
      skill("skills/pdf"),
      { path: "skills/pdf/assets/logo", content: bytes },
      { path: "skills/pdf/scripts/run.sh", content: "echo", mode: "100755" },
    ]);
    const [pdf] = (await read()).skills;
    expect(pdf?.files).toEqual([
      { path: "SKILL.md", content: { text: "---\nname: x\n---\nx" }, executable: false },
      { path: "assets/logo", content: { bytes }, executable: false },
      { path: "scripts/run.sh", content: { text: "echo" }, executable: true },
    ]);
  });

  it("[K1] symbolic links and submodules are left out, which is said", async () => {
    commit(directory, [
      skill("skills/pdf"),
      { path: "skills/pdf/passwd", link: "/etc/passwd" },
      { path: "skills/pdf/vendor", module: "1".repeat(40) },
      { path: "skills/linked", link: "pdf" },
    ]);
    const { skills, problems } = await read();
    expect(skills).toMatchObject([{ directory: "pdf", files: [{ path: "SKILL.md" }] }]);
    expect(problems.toSorted()).toEqual([
      '"skills/linked" is left out: it is a symbolic link.',
      '"skills/pdf/passwd" is left out: it is a symbolic link.',
      '"skills/pdf/vendor" is left out: it is a submodule, and only this repository is fetched.',
    ]);
  });

  it("[K1] names that lead elsewhere take their own skill with them, and no other", async () => {
    commit(directory, [skill("skills/good")]);
    const rev = (path: string) => git(directory, ["rev-parse", `main:${path}`]);
    const entry = (mode: string, name: string, id: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
    const tree = (...entries: Buffer[]) =>
      git(
        directory,
        ["hash-object", "-w", "-t", "tree", "--stdin", "--literally"],
        Buffer.concat(entries),
      );
    const file = rev("skills/good/SKILL.md");
    const evil = [".git", "..", "a\\b", "a\nb"].map((name, at) =>
      entry(
        "40000",
        `evil-${at}`,
        tree(entry("100644", "SKILL.md", file), entry("100644", name, file)),
      ),
    );
    const skills = tree(...evil, entry("40000", "good", rev("skills/good")));
    const root = tree(entry("40000", "skills", skills));
    const made = git(
      directory,
      ["hash-object", "-w", "-t", "commit", "--stdin"],
      [
        `tree ${root}`,
        "author A <a@example.com> 0 +0000",
        "committer A <a@example.com> 0 +0000",
        "",
        "x",
      ].join("\n"),
    );
    git(directory, ["update-ref", "refs/heads/main", made]);
    const answer = await read();
    expect(names(answer)).toContain("good");
    const paths = answer.skills.flatMap(({ files }) => files.map(({ path }) => path));
    expect(new Set(paths)).toEqual(new Set(["SKILL.md"]));
    expect(answer.problems).not.toEqual([]);
  });

  it("[K1] a file that is too large is left out of its skill, which is said", async () => {
    commit(directory, [
      skill("skills/pdf"),
      { path: "skills/pdf/assets/big", content: "x".repeat(2_000) },
    ]);
    const limits = { ...repositoryLimits, fileBytes: 1_000 };
    const { skills, problems } = await read({}, { ...partsOf(), limits });
    expect(skills).toMatchObject([{ files: [{ path: "SKILL.md" }] }]);
    expect(problems).toEqual([
      '"skills/pdf/assets/big" is left out: it is larger than 1000 bytes.',
    ]);
  });
});

describe("its revision", () => {
  it("[K2] is the commit and the path; who knows it is sent no pack", async () => {
    const id = commit(directory, [skill("skills/pdf")]);
    expect((await read()).revision).toBe(id);
    expect((await read({ path: "skills" })).revision).toBe(`${id}:skills`);
    server.requests.splice(0);
    expect(await gitSkills({ url }).take(id, partsOf())).toBe("unchanged");
    const asked = server.requests.filter((line) => line.startsWith("POST"));
    expect(asked).toHaveLength(1);
    expect(await gitSkills({ url, path: "skills" }).take(id, partsOf())).not.toBe("unchanged");
  });

  it("[K2] of a branch that is named, also when there is no default", async () => {
    commit(directory, [skill("skills/old")]);
    commit(directory, [skill("skills/new")], "next/one");
    commit(directory, [skill("skills/other")], "next/one-more");
    git(directory, ["symbolic-ref", "HEAD", "refs/heads/gone"]);
    expect(names(await read({ branch: "next/one" }))).toEqual(["new"]);
    expect((await failure()).message).toMatch(/no default branch/);
    expect((await failure({ branch: "next" })).message).toMatch(/no branch "next"/);
  });

  it("[K2] of a server that knows only the old protocol", async () => {
    const id = commit(directory, [skill("skills/pdf")]);
    server.intercept = ({ headers }) => {
      delete headers["git-protocol"];
      return false;
    };
    expect((await read()).revision).toBe(id);
    expect((await read({ branch: "main" })).revision).toBe(id);
  });

  it("[K2] a repository that has moved is followed", async () => {
    const id = commit(directory, [skill("skills/pdf")]);
    server.intercept = ({ url: path = "", method }, response) => {
      if (!path.startsWith("/old/")) return false;
      const status = method === "GET" ? 301 : 404;
      response.writeHead(status, { location: path.replace("/old/", "/acme/") }).end();
      return true;
    };
    expect((await read({ url: url.replace("/acme/", "/old/") })).revision).toBe(id);
  });
});
