import { describe, expect, it } from "vitest";
import type { Fetch } from "../../src/shared/guarded-fetch.ts";
import type { SkillFile } from "../../src/shared/skill-facts.ts";
import {
  type Fetched,
  type FetchedSkill,
  type FetchParts,
  repositoryLimits,
  type RepositoryLimits,
  type SkillRepository,
} from "../../src/skills/repositories/repository.ts";

/** A repository over a source that the test holds in its hands. */
export type RepositoryBench = {
  readonly repository: SkillRepository;
  readonly fetch: Fetch;
  readonly binding: (name: string) => unknown;
  /** Another content, as its owner would put it there. Of one whose content is code: `null`. */
  readonly put: ((skills: readonly FetchedSkill[]) => Promise<void>) | null;
  /** From now on the source answers with an error; with `null` it is well again. `null`: it cannot fail. */
  readonly break: ((how: "fails" | "stalls" | null) => void) | null;
  /** A credential that it is asked with, if any: it must show nowhere. */
  readonly secret?: string;
};

export type RepositoryTraits = {
  /** Whether it knows which files can be run. */
  readonly keepsExecutable: boolean;
  /** Whether a file of any path can be put into the source at all; default true. */
  readonly takesHostilePaths?: boolean;
  /** Whether a skill can have more than SKILL.md; default true. */
  readonly takesFiles?: boolean;
};

export const textFile = (path: string, text: string, executable = false): SkillFile => ({
  path,
  content: { text },
  executable,
});

export const binaryFile = (path: string, bytes: Uint8Array, executable = false): SkillFile => ({
  path,
  content: { bytes },
  executable,
});

export const skillText = (name: string, body = "Do it well."): string =>
  `---\nname: ${name}\ndescription: What ${name} is good for.\n---\n${body}\n`;

/** A skill of one file, and of more files where they are given. */
export const skillOf = (directory: string, ...more: readonly SkillFile[]): FetchedSkill => ({
  directory,
  files: [textFile("SKILL.md", skillText(directory)), ...more],
});

const bytes = Uint8Array.from({ length: 512 }, (_, at) => 255 - (at % 256));

/** Files by path, each as bytes, so that text and bytes of the same content are the same. */
function shown(skills: readonly FetchedSkill[]): Record<string, Record<string, string>> {
  const text = ({ content }: SkillFile) => {
    const raw = "text" in content ? new TextEncoder().encode(content.text) : content.bytes;
    return Array.from(raw, (byte) => String.fromCharCode(byte)).join("");
  };
  const files = (skill: FetchedSkill) =>
    Object.fromEntries(skill.files.map((file) => [file.path, text(file)]));
  return Object.fromEntries(skills.map((skill) => [skill.directory, files(skill)]));
}

const isPlain = (path: string): boolean =>
  !/[\\\p{Cc}]/u.test(path) &&
  path.split("/").every((name) => name !== "" && name !== "." && name !== "..");

function partsOf(
  { fetch, binding }: RepositoryBench,
  more: { limits?: Partial<RepositoryLimits>; signal?: AbortSignal } = {},
): FetchParts {
  const limits = { ...repositoryLimits, ...more.limits };
  return { fetch, binding, limits, signal: more.signal ?? new AbortController().signal };
}

async function fetched(
  bench: RepositoryBench,
  limits: Partial<RepositoryLimits> = {},
): Promise<Fetched> {
  const answer = await bench.repository.take(null, partsOf(bench, { limits }));
  if (answer === "unchanged") throw new Error("nothing was known, so nothing can be unchanged");
  return answer;
}

export type OpenRepository = (skills: readonly FetchedSkill[]) => Promise<RepositoryBench>;

/** What every `SkillRepository` keeps to. */
export function describeSkillRepository(
  name: string,
  open: OpenRepository,
  traits: RepositoryTraits,
): void {
  describe(name, () => {
    contentTests(open, traits);
    revisionTests(open);
    limitTests(open, traits);
    failureTests(open);
  });
}

function contentTests(open: OpenRepository, traits: RepositoryTraits): void {
  const { keepsExecutable, takesHostilePaths = true, takesFiles = true } = traits;

  it("[K2] has a label and a key, and its trust", async () => {
    const { repository, secret } = await open([]);
    expect(repository.label).toMatch(/^[a-z0-9][a-z0-9.-]{0,63}$/);
    expect(["builtin", "trusted", "agent", "community"]).toContain(repository.trust);
    expect(repository.key).not.toBe("");
    if (secret !== undefined) expect(JSON.stringify(repository)).not.toContain(secret);
  });

  it("[K1] an empty one has no skills and no problems", async () => {
    expect(await fetched(await open([]))).toMatchObject({ skills: [], problems: [] });
  });

  it("[K2] gives every skill, whatever its name", async () => {
    const skills = ["pdf", "a-b-c", "größe", "日本語", "constructor"].map((name) => skillOf(name));
    const answer = await fetched(await open(skills));
    expect(shown(answer.skills)).toEqual(shown(skills));
    expect(answer.problems).toEqual([]);
  });

  if (takesFiles)
    it("[K2] gives the files of a skill as they are", async () => {
      const skill = skillOf(
        "pdf",
        binaryFile("assets/logo.png", bytes),
        textFile("references/lines.md", "a\r\nb\n\n"),
        textFile("references/übersicht/日本.md", "ü\u2028"),
        textFile("references/empty.md", ""),
        textFile("references/bom.md", "\ufeffx"),
        textFile("scripts/run.sh", "#!/bin/sh\necho hi\n", true),
      );
      const { skills, problems } = await fetched(await open([skill]));
      expect(shown(skills)).toEqual(shown([skill]));
      expect(problems).toEqual([]);
      const run = skills[0]?.files.filter(({ executable }) => executable);
      if (keepsExecutable) expect(run?.map(({ path }) => path)).toEqual(["scripts/run.sh"]);
    });

  it("[K1] a directory that is no good skill takes nothing from the others", async () => {
    const bad = { directory: "bad", files: [textFile("SKILL.md", "---\n: [\n---\n")] };
    const { skills } = await fetched(await open([skillOf("ant"), bad, skillOf("bee")]));
    expect(skills.map(({ directory }) => directory)).toEqual(
      expect.arrayContaining(["ant", "bee"]),
    );
  });

  if (takesHostilePaths && takesFiles)
    it("[K1] gives no path that leaves the skill's directory", async () => {
      const paths = [
        "../evil.md",
        "/etc/passwd",
        "a/../../b.md",
        "a\\..\\b.md",
        "./c.md",
        "d//e.md",
      ];
      const evil = paths.map((path, at) => skillOf(`evil-${at}`, textFile(path, "x")));
      const { skills, problems } = await fetched(await open([skillOf("good"), ...evil]));
      expect(skills.map(({ directory }) => directory)).toContain("good");
      expect(problems.length).toBeGreaterThanOrEqual(paths.length);
      for (const { files } of skills) for (const { path } of files) expect(path).toSatisfy(isPlain);
    });
}

function revisionTests(open: OpenRepository): void {
  it("[K2] the same content has the same revision, and is unchanged to who knows it", async () => {
    const bench = await open([skillOf("pdf")]);
    const first = await fetched(bench);
    expect((await fetched(bench)).revision).toBe(first.revision);
    expect(first.revision).not.toBe("");
    expect(await bench.repository.take(first.revision, partsOf(bench))).toBe("unchanged");
    if (bench.repository.revision !== undefined)
      expect(bench.repository.revision).toBe(first.revision);
  });

  it("[K2] who knows another revision gets everything", async () => {
    const bench = await open([skillOf("pdf")]);
    for (const known of ["", "other", '"etag"', "'; DROP TABLE x"])
      expect(await bench.repository.take(known, partsOf(bench))).toMatchObject({
        skills: [{ directory: "pdf" }],
      });
  });

  it("[K2] another content has another revision", async () => {
    const bench = await open([skillOf("pdf")]);
    if (!bench.put) return;
    const first = await fetched(bench);
    const body = { directory: "pdf", files: [textFile("SKILL.md", skillText("pdf", "Better."))] };
    const contents = [[body], [body, skillOf("more")], []];
    const seen = new Set([first.revision]);
    for (const skills of contents) {
      await bench.put(skills);
      const answer = await bench.repository.take(first.revision, partsOf(bench));
      if (answer === "unchanged") throw new Error("what was changed is not seen");
      expect(shown(answer.skills)).toEqual(shown(skills));
      seen.add(answer.revision);
    }
    expect(seen.size).toBe(1 + contents.length);
  });
}

function limitTests(open: OpenRepository, { takesFiles = true }: RepositoryTraits): void {
  it("[K1] gives no more skills than it may, and says so", async () => {
    const bench = await open(["ant", "bee", "cat"].map((name) => skillOf(name)));
    const { skills, problems } = await fetched(bench, { skills: 2 });
    expect(skills).toHaveLength(2);
    expect(problems).not.toEqual([]);
  });

  const large = {
    directory: "large",
    files: [textFile("SKILL.md", skillText("large", "x".repeat(900)))],
  };
  for (const limit of ["fileBytes", "skillBytes"] as const)
    it(`[K1] leaves out a skill past ${limit}, says so, and gives the others`, async () => {
      const bench = await open([skillOf("ant"), large, skillOf("wasp")]);
      const { skills, problems } = await fetched(bench, { [limit]: 500 });
      expect(skills.map(({ directory }) => directory).toSorted()).toEqual(["ant", "wasp"]);
      expect(problems.join()).toContain("large");
    });

  it("[K1] gives no more bytes than it may in all, and says so", async () => {
    const skills = ["ant", "bee", "cat"].map((name) => ({
      directory: name,
      files: [textFile("SKILL.md", skillText(name, "x".repeat(400)))],
    }));
    const bench = await open(skills);
    const answer = await fetched(bench, { totalBytes: 1_200 });
    expect(answer.skills).toHaveLength(2);
    expect(answer.problems).not.toEqual([]);
  });

  if (takesFiles)
    it("[K1] leaves out a skill of too many files, says so, and gives the others", async () => {
      const more = ["a", "b", "c"].map((name) => textFile(`references/${name}.md`, name));
      const bench = await open([skillOf("ant"), skillOf("many", ...more)]);
      const { skills, problems } = await fetched(bench, { filesPerSkill: 3 });
      expect(skills.map(({ directory }) => directory)).toEqual(["ant"]);
      expect(problems.join()).toContain("many");
    });
}

function failureTests(open: OpenRepository): void {
  it("[K1] nobody waits any more: it throws", async () => {
    const bench = await open([skillOf("pdf")]);
    const parts = partsOf(bench, { signal: AbortSignal.abort() });
    await expect(bench.repository.take(null, parts)).rejects.toThrow();
  });

  it("[K1] a source that fails gives nothing, shows no credential, and is asked again", async () => {
    const bench = await open([skillOf("pdf")]);
    if (!bench.break) return;
    const { revision } = await fetched(bench);
    bench.break("fails");
    for (const known of [null, revision]) {
      const failure = await bench.repository.take(known, partsOf(bench)).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(Error);
      if (bench.secret !== undefined) expect(String(failure)).not.toContain(bench.secret);
    }
    bench.break(null);
    expect((await fetched(bench)).skills).toHaveLength(1);
  });

  it("[K1] a source that never answers is left when nobody waits any more", async () => {
    const bench = await open([skillOf("pdf")]);
    if (!bench.break) return;
    bench.break("stalls");
    const stop = new AbortController();
    const fetching = bench.repository.take(null, partsOf(bench, { signal: stop.signal }));
    stop.abort();
    await expect(fetching).rejects.toThrow();
  });
}
