import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CarrelError } from "../../../../src/shared/errors.ts";
import {
  gitSkills,
  type GitSkillsOptions,
} from "../../../../src/skills/repositories/git/git-skills.ts";
import { repositoryLimits } from "../../../../src/skills/repositories/repository.ts";
import { commit, GitServer } from "../../../support/git-server.ts";

const SECRET = "ghp_dontShowMe";
const token = { variable: "SKILLS_TOKEN" };

const server = new GitServer();
let url = "";

beforeAll(async () => {
  await server.start();
  url = `${server.url}/acme/skills.git`;
  commit(server.add("acme/skills.git"), [
    { path: "skills/pdf/SKILL.md", content: "x" },
    { path: "skills/pdf/assets/noise", content: randomBytes(200_000) },
  ]);
  server.add("acme/empty.git");
});
afterAll(() => server.close());
beforeEach(() => {
  server.intercept = () => false;
});

const partsOf = (value?: unknown) => ({
  fetch,
  binding: (name: string) => (name === token.variable ? value : undefined),
  limits: repositoryLimits,
  signal: new AbortController().signal,
});

async function failure(options: Partial<GitSkillsOptions> = {}, parts = partsOf()) {
  const error = await gitSkills({ url, ...options })
    .take(null, parts)
    .then(
      () => null,
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof CarrelError)) throw error;
  expect(`${error.message} ${JSON.stringify(error.detail)}`).not.toContain(SECRET);
  return error;
}

describe("a token", () => {
  const asked: (string | undefined)[] = [];
  beforeEach(() => {
    asked.splice(0);
    server.intercept = ({ headers }, response) => {
      asked.push(headers.authorization);
      if (headers.authorization === `Basic ${btoa(`ann:${SECRET}`)}`) return false;
      response.writeHead(401, { "www-authenticate": "Basic" }).end(`no ${headers.authorization}`);
      return true;
    };
  });

  it("[K1] is read whenever it is needed, and sent with every request", async () => {
    const repository = gitSkills({ url, token: { ...token, user: "ann" } });
    expect(JSON.stringify(repository)).not.toContain(SECRET);
    expect(await repository.take(null, partsOf(` ${SECRET}\n`))).toMatchObject({ skills: [{}] });
    expect(asked).toHaveLength(3);
  });

  it("[K1] that is missing, empty or wrong is asked for by its name", async () => {
    for (const value of [undefined, " ", 7]) {
      const error = await failure({ token }, partsOf(value));
      expect(error.message).toContain("npx wrangler secret put SKILLS_TOKEN");
    }
    expect(asked).toEqual([]);
    expect((await failure()).message).toContain("Give gitSkills a token");
    const wrong = await failure({ token }, partsOf(SECRET));
    expect(wrong.code).toBe("forbidden");
    expect(wrong.message).toContain("refuses the token in SKILLS_TOKEN (status 401)");
  });

  it("[K1] is not sent to where a repository has moved to", async () => {
    const other = new GitServer();
    await other.start();
    commit(other.add("skills.git"), [{ path: "pdf/SKILL.md", content: "x" }]);
    const seen: (string | undefined)[] = [];
    other.intercept = ({ headers }) => {
      seen.push(headers.authorization);
      return false;
    };
    server.intercept = ({ url: path = "" }, response) => {
      const location = path.replace("/acme/", `${other.url}/`);
      response.writeHead(302, { location }).end();
      return true;
    };
    const answer = await gitSkills({ url, token }).take(null, partsOf(SECRET));
    await other.close();
    expect(answer).toMatchObject({ skills: [{ directory: "pdf" }] });
    expect(seen).toEqual([undefined, undefined, undefined]);
  });
});

describe("what does not answer as it should", () => {
  for (const [status, code] of [
    [403, "forbidden"],
    [404, "not_found"],
    [500, "unavailable"],
    [302, "unavailable"],
  ] as const)
    it(`[K1] status ${status} is ${code}`, async () => {
      server.intercept = (_request, response) => {
        response.writeHead(status).end("<html>");
        return true;
      };
      const error = await failure();
      expect(error.code).toBe(code);
      expect(error.message).toContain(`status ${status}`);
    });

  it("[K1] a path without a repository, and a repository without anything", async () => {
    expect((await failure({ url: `${server.url}/acme/none.git` })).code).toBe("not_found");
    expect((await failure({ url: `${server.url}/acme/empty.git` })).message).toContain(
      "no default branch, or nothing in it yet",
    );
  });

  it("[K1] a web page, or a server of the old kind without a program behind it", async () => {
    for (const [type, text] of [
      ["text/html", "<html>"],
      ["text/plain", `${"1".repeat(40)}\trefs/heads/main\n`],
      ["application/x-git-upload-pack-advertisement", "hello"],
    ] as const) {
      server.intercept = (_request, response) => {
        response.writeHead(200, { "content-type": type }).end(text);
        return true;
      };
      expect((await failure()).code).toBe("malformed");
    }
  });

  it("[K1] one that reports an error is quoted, in a line", async () => {
    for (const line of ["ERR not\nour ref", "\u0003not\nour ref"]) {
      server.intercept = ({ method }, response) => {
        if (method !== "POST") return false;
        const frame = (line.length + 4).toString(16).padStart(4, "0") + line;
        response
          .writeHead(200, { "content-type": "application/x-git-upload-pack-result" })
          .end(`${frame}0000`);
        return true;
      };
      expect((await failure()).message).toMatch(/reports: "not our ref"$/);
    }
  });
});

describe("a pack", () => {
  /** Lets the backend's answer to the request for the pack through, changed. */
  const changed = (change: (answer: Buffer) => Buffer, isCut = false) => {
    const real: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const sent = new TextDecoder().decode(await new Response(init?.body).arrayBuffer());
      if (!sent.includes("deepen")) return response;
      const answer = change(Buffer.from(await response.arrayBuffer()));
      const { status, headers } = response;
      if (!isCut) return new Response(Uint8Array.from(answer), { status, headers });
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(Uint8Array.from(answer)),
        pull: (stream) => stream.error(new TypeError("the other side has hung up")),
      });
      return new Response(body, { status, headers });
    };
    return { ...partsOf(), fetch: real };
  };

  it("[K1] that is too large is not read to its end", async () => {
    const error = await failure({ maxPackBytes: 100_000 });
    expect(error.code).toBe("too_large");
    expect(error.message).toContain("97.6 KiB");
    expect(await gitSkills({ url, maxPackBytes: 300_000 }).take(null, partsOf())).toBeTruthy();
  });

  it("[K1] that stops in the middle is known as that", async () => {
    for (const end of [0, 3, 8, 60, 5_000, -4])
      expect(
        (
          await failure(
            {},
            changed((answer) => answer.subarray(0, end)),
          )
        ).message,
      ).toContain("stops in the middle");
  });

  it("[K1] of a server that dies is a failure of the network", async () => {
    const parts = changed((answer) => answer.subarray(0, 5_000), true);
    await expect(gitSkills({ url }).take(null, parts)).rejects.toThrow("hung up");
  });

  it("[K1] that has been changed on its way is refused", async () => {
    const parts = changed((answer) => {
      const copy = Buffer.from(answer);
      copy[10_000] = (copy[10_000] ?? 0) ^ 1;
      return copy;
    });
    expect((await failure({}, parts)).code).toBe("malformed");
  });
});

it("[K1] options that cannot be are refused at once, and nothing secret is repeated", () => {
  const addresses = [
    "git@github.com:a/b.git",
    "ssh://github.com/a/b",
    "file:///tmp/a",
    "x",
    "https://a.example",
    `https://ann:${SECRET}@a.example/b`,
    `https://${SECRET}@a.example/b`,
    `https://a.example/b?token=${SECRET}`,
  ];
  const wrong: GitSkillsOptions[] = addresses.map((address) => ({ url: address }));
  for (const path of ["/etc", "../x", "a//b", "a/./b", "", "a\\b", "a\nb"])
    wrong.push({ url, path });
  for (const branch of ["", "a b", "a..b", "-x", "a:b", "x/"]) wrong.push({ url, branch });
  for (const label of ["", "Git", "a b", "-a", "x".repeat(65)]) wrong.push({ url, label });
  for (const options of wrong) {
    const make = () => gitSkills(options);
    expect(make).toThrow(CarrelError);
    expect(make).not.toThrow(SECRET);
  }
});

it("[K2] its label says where it is from, and its key is another for each place", () => {
  const label = (options: GitSkillsOptions) => gitSkills(options).label;
  expect(label({ url: "https://github.com/Acme/My_Skills.git" })).toBe("git-acme-my-skills");
  expect(label({ url: "https://github.com/acme/skills/", branch: "next/One" })).toBe(
    "git-acme-skills-next-one",
  );
  expect(label({ url: "https://git.example/skills" })).toBe("git-skills");
  expect(label({ url: `https://git.example/${"long".repeat(40)}/x` })).toHaveLength(64);
  const keys = [
    { url },
    { url, branch: "a" },
    { url, path: "a" },
    { url: `${url}x` },
    { url, branch: "a", path: "a" },
  ].map((options) => gitSkills(options).key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(gitSkills({ url, label: "l", trust: "builtin", token }).key).toBe(keys[0]);
});
