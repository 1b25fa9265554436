import { afterAll, beforeAll } from "vitest";
import { gitSkills } from "../../../../src/skills/repositories/git/git-skills.ts";
import type { FetchedSkill } from "../../../../src/skills/repositories/repository.ts";
import { describeSkillRepository } from "../../../contracts/skill-repository-contract.ts";
import { commit, type GitFile, GitServer } from "../../../support/git-server.ts";

const SECRET = "ghp_dontShowMe";

const server = new GitServer();
/** How a repository answers now, by its name. */
const broken = new Map<string, "fails" | "stalls" | null>();
let made = 0;

beforeAll(async () => {
  server.intercept = ({ url = "", headers }, response) => {
    const how = broken.get(url.split("/")[1] ?? "") ?? null;
    const login = Buffer.from(`x-access-token:${SECRET}`).toString("base64");
    const isIn = headers.authorization === `Basic ${login}`;
    if (how === "fails") response.writeHead(500).end(`no ${headers.authorization}`);
    else if (how === null && !isIn) response.writeHead(401).end();
    return how !== null || !isIn;
  };
  await server.start();
});
afterAll(() => server.close());

const filesOf = (skills: readonly FetchedSkill[]): GitFile[] =>
  skills.flatMap(({ directory, files }) =>
    files.map(({ path, content, executable }) => ({
      path: `skills/${directory}/${path}`,
      content: "text" in content ? content.text : content.bytes,
      ...(executable ? { mode: "100755" as const } : {}),
    })),
  );

describeSkillRepository(
  "gitSkills",
  async (skills) => {
    const name = `repository-${(made += 1)}`;
    const directory = server.add(name);
    commit(directory, filesOf(skills));
    return {
      repository: gitSkills({ url: `${server.url}/${name}`, token: { variable: "TOKEN" } }),
      fetch,
      binding: (variable) => (variable === "TOKEN" ? SECRET : undefined),
      put: async (next) => void commit(directory, filesOf(next)),
      break: (how) => void broken.set(name, how),
      secret: SECRET,
    };
  },
  { keepsExecutable: true, takesHostilePaths: false },
);
