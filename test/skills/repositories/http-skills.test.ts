import { describe, expect, it } from "vitest";
import { createGuardedFetch, type Fetch } from "../../../src/shared/guarded-fetch.ts";
import {
  httpSkills,
  type HttpSkillsOptions,
} from "../../../src/skills/repositories/http/http-skills.ts";
import { repositoryLimits, type Fetched } from "../../../src/skills/repositories/repository.ts";
import {
  describeSkillRepository,
  skillOf,
  skillText,
  textFile,
  type RepositoryTraits,
} from "../../contracts/skill-repository-contract.ts";
import {
  digestOf,
  documents,
  inline,
  NEW_INDEX,
  published,
  SCHEMA,
  Site,
  SITE,
  tars,
  zips,
  type Form,
  type Pages,
} from "./published.ts";

const SECRET = "Bearer s3cr3t-token";
const headers = { authorization: { variable: "SKILLS_TOKEN" } } as const;
const binding = (name: string) => (name === "SKILLS_TOKEN" ? SECRET : undefined);

const forms: readonly (readonly [string, string, Form, RepositoryTraits])[] = [
  ["one document", `${SITE}/skills.json`, inline, { keepsExecutable: true }],
  ["an index 0.1.0", SITE, published, { keepsExecutable: false }],
  ["an index 0.2.0 of documents", SITE, documents, { keepsExecutable: false, takesFiles: false }],
  ["an index 0.2.0 of zip archives", SITE, zips, { keepsExecutable: true }],
  ["an index 0.2.0 of tar archives", SITE, tars, { keepsExecutable: true }],
];

for (const [name, url, form, traits] of forms)
  for (const hasEtags of [true, false])
    describeSkillRepository(
      `skills of a web server, by ${name}${hasEtags ? "" : ", without etags"}`,
      async (skills) => {
        const site = new Site();
        site.hasEtags = hasEtags;
        site.pages = form(skills);
        return {
          repository: httpSkills({ url, headers }),
          fetch: createGuardedFetch({ trustedOrigins: [], fetch: site.fetch }),
          binding,
          put: async (others) => void (site.pages = form(others)),
          break: (how) => void (site.state = how),
          secret: SECRET,
        };
      },
      traits,
    );

const partsOf = (site: Site) => ({
  fetch: createGuardedFetch({ trustedOrigins: [], fetch: site.fetch }),
  binding,
  limits: repositoryLimits,
  signal: new AbortController().signal,
});

async function fetched(pages: Pages, options: Partial<HttpSkillsOptions> = {}) {
  const site = new Site();
  site.pages = pages;
  const answer = await httpSkills({ url: SITE, ...options }).take(null, partsOf(site));
  return { ...(answer as Fetched), site };
}

const index = (skills: unknown, more: object = { $schema: SCHEMA }) =>
  JSON.stringify({ ...more, skills });

const text = skillText("pdf");
const entry = {
  name: "pdf",
  type: "skill-md",
  description: "d",
  url: "pdf/SKILL.md",
  digest: digestOf(Buffer.from(text)),
};
const page = "/.well-known/agent-skills/pdf/SKILL.md";
const pagesOf = (skill: unknown, more: Pages = new Map()): Pages =>
  new Map([[NEW_INDEX, index([skill])], [page, text], ...more]);

describe("skills of a web server", () => {
  it("[K1] what is not as its digest says is never taken, and that is said", async () => {
    for (const digest of [digestOf(Buffer.from("other")), "sha256:00", "md5:00", undefined]) {
      const { skills, problems } = await fetched(pagesOf({ ...entry, digest }));
      expect(skills).toEqual([]);
      expect(problems).toEqual([expect.stringContaining("pdf")]);
    }
  });

  it("[K1] a skill that was left out is asked for again the next time", async () => {
    const { site, revision } = await fetched(pagesOf({ ...entry, url: "later.md" }));
    site.pages.set("/.well-known/agent-skills/later.md", text);
    expect(await httpSkills({ url: SITE }).take(revision, partsOf(site))).toMatchObject({
      skills: [{ directory: "pdf" }],
      problems: [],
    });
  });

  it("[K2] where digests say what there is, asking again costs one request", async () => {
    const { site, revision } = await fetched(pagesOf(entry));
    const before = site.requests.length;
    expect(await httpSkills({ url: SITE }).take(revision, partsOf(site))).toBe("unchanged");
    expect(site.requests.length - before).toBe(1);
    expect(site.requests.at(-1)?.headers.get("if-none-match")).not.toBeNull();
  });

  it("[K1] an index of a later format is not guessed at", async () => {
    const later = index([entry], { $schema: SCHEMA.replace("0.2.0", "0.3.0") });
    await expect(fetched(new Map([[NEW_INDEX, later]]))).rejects.toMatchObject({
      code: "malformed",
      message: expect.stringContaining("0.3.0"),
    });
    for (const other of ["", "[]", "null", '{"skills":{}}', "\0"])
      await expect(fetched(new Map([[NEW_INDEX, other]]))).rejects.toMatchObject({
        code: "malformed",
      });
  });

  it("[K1] types that are not known, and what is no entry, take nothing from the others", async () => {
    const odd = [{ ...entry, name: "odd", type: "wasm" }, null, 7, {}, { name: "__proto__" }];
    const pages = pagesOf(entry).set(NEW_INDEX, index([...odd, entry, { name: "x", files: 3 }]));
    const { skills, problems } = await fetched(pages);
    expect(skills.map(({ directory }) => directory)).toEqual(["pdf"]);
    expect(problems).toHaveLength(6);
  });

  it("[X4] another server is only asked where its whole https address is given, without our headers", async () => {
    const cdn = "https://cdn.example.org/pdf.md";
    const { skills, site } = await fetched(
      pagesOf({ ...entry, url: cdn }, new Map([[cdn, text]])),
      { headers },
    );
    expect(skills).toHaveLength(1);
    const [own, other] = site.requests;
    expect(own?.headers.get("authorization")).toBe(SECRET);
    expect(other?.url).toBe(cdn);
    expect([...(other?.headers.keys() ?? [])]).not.toContain("authorization");
    for (const url of [
      "//cdn.example.org/pdf.md",
      "http://cdn.example.org/x",
      "data:,x",
      "file:///x",
    ]) {
      const refused = await fetched(pagesOf({ ...entry, url }));
      expect(refused.skills).toEqual([]);
      expect(refused.site.requests).toHaveLength(1);
    }
  });

  it("[X4] an address inside the operator's network is refused, and takes nothing from the others", async () => {
    const evil = { ...entry, name: "evil", url: "https://169.254.169.254/latest/meta-data" };
    const pages = pagesOf(entry).set(NEW_INDEX, index([evil, entry]));
    const { skills, problems, site } = await fetched(pages);
    expect(skills.map(({ directory }) => directory)).toEqual(["pdf"]);
    expect(problems).toEqual([expect.stringContaining("evil")]);
    expect(site.requests.map(({ url }) => url).join()).not.toContain("169.254");
  });

  it("[K1] a file that is missing takes only its skill; a server that fails, nothing at all", async () => {
    const pages = published([skillOf("ant"), skillOf("bee", textFile("references/a.md", "a"))]);
    pages.delete("/.well-known/skills/bee/references/a.md");
    const { skills, problems } = await fetched(pages);
    expect(skills.map(({ directory }) => directory)).toEqual(["ant"]);
    expect(problems).toEqual([expect.stringContaining("bee")]);

    const site = new Site();
    site.pages = pages;
    const failing = { ...partsOf(site), fetch: failingAt(site, "/SKILL.md") };
    await expect(httpSkills({ url: SITE }).take(null, failing)).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("[K1] a file of the document may be at an address, with or without a digest", async () => {
    const files = {
      "SKILL.md": { url: "/a", digest: digestOf(Buffer.from(text)) },
      "scripts/x": { url: "b", executable: true },
    };
    const pages: Pages = new Map([
      ["/list/skills.json", index([{ name: "pdf", files }], {})],
      ["/a", text],
      ["/list/b", "b"],
    ]);
    const { skills } = await fetched(pages, { url: `${SITE}/list/skills.json` });
    expect(skills[0]?.files).toEqual([
      textFile("SKILL.md", text),
      textFile("scripts/x", "b", true),
    ]);
  });

  it("[H5] a variable that is not set is named, and nothing is asked", async () => {
    const site = new Site();
    const options = { url: SITE, headers: { "x-key": { variable: "NOT_THERE" } } };
    await expect(httpSkills(options).take(null, partsOf(site))).rejects.toThrow("NOT_THERE");
    expect(site.requests).toEqual([]);
  });

  it("[H5] an address or header that cannot be used is refused at once", () => {
    for (const url of ["", "skills", "ftp://x.example.com", "https://ann:pw@x.example.com"])
      expect(() => httpSkills({ url })).toThrow("url");
    expect(() => httpSkills({ url: SITE, headers: { "bad name": "x" } })).toThrow("bad name");
  });

  it("[H5] the key has no value of a header or of the query", () => {
    const { key } = httpSkills({
      url: `${SITE}/x.json?token=s3cr3t`,
      headers: { authorization: "s3cr3t" },
    });
    expect(key).not.toContain("s3cr3t");
    expect(key).not.toBe(httpSkills({ url: `${SITE}/x.json?token=other` }).key);
  });
});

/** As the server, but it fails for addresses that end so. */
const failingAt =
  (site: Site, end: string): Fetch =>
  async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    return pathname.endsWith(end) ? new Response("", { status: 502 }) : site.fetch(input, init);
  };
