import { Hono, type Context } from "hono";
import * as z from "zod";
import { systemClock } from "../shared/clock.ts";
import { invalid, notFound } from "../shared/errors.ts";
import { checkValue } from "../shared/issue-words.ts";
import type { Decision } from "../shared/skill-drafts.ts";
import type { SkillMove } from "../shared/skills-api.ts";
import { liveSkill } from "../skills/catalogue/live-skill.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { operationOf } from "./files.ts";
import { UNTRUSTED } from "./files-answer.ts";
import { exactQueryOf, given, isSet, type FileQuery } from "./files-query.ts";
import { candidateJson, listJson } from "./skills-answer.ts";
import { skillsTarget, type SkillsTarget } from "./skills-target.ts";
import { uploadDraft } from "./skills-upload.ts";

const DAY_MS = 86_400_000;
const MAX_NAME = 128;

const WHOSE = ["user", "session", "layer"] as const;

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be the hash of the draft, as GET …/skills/drafts/:name shows it");

const Reason = z.string().trim().max(1_000);

const PromoteBody = z.strictObject({
  hash: Hash,
  environments: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/))
    .max(20)
    .optional(),
});
const RejectBody = z.strictObject({ hash: Hash, reason: Reason.default("") });
const DeferBody = z.strictObject({
  hash: Hash,
  days: z.int().min(1).max(365).default(7),
  reason: Reason.optional(),
});
const RestoreBody = z.strictObject({ archived: z.string().min(1).max(512).optional() });
const NoBody = z.strictObject({});

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day, such as 2026-12-01");
const AuditQuery = z.strictObject({
  from: Day.optional(),
  to: Day.optional(),
  target: z.string().max(MAX_NAME).optional(),
  actor: z.string().max(300).optional(),
  op: z.string().max(40).optional(),
  limit: z
    .string()
    .regex(/^(?:[1-9]\d{0,2}|1000)$/, "must be a whole number from 1 to 1000")
    .transform(Number)
    .optional(),
});

/** The skills of the caller's agent, below `/v1/agents/:agent/skills`: what there is, drafts and their review, and how they are kept. */
export function skillRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  lists(routes);
  reviews(routes);
  moves(routes);
  return routes;
}

function lists(routes: Hono<AppEnv>): void {
  routes.get("/", async (c) => {
    const { skills } = skillsTarget(c, queryOf(c, []), "read");
    const [catalogue, records, repositories] = await Promise.all([
      skills.catalogue(),
      skills.records(),
      skills.repositories(),
    ]);
    return c.json(listJson(catalogue, records, repositories), 200, UNTRUSTED);
  });

  routes.get("/audit", async (c) => {
    const names = ["from", "to", "target", "actor", "op", "limit"];
    const query = queryOf(c, names);
    const { skills } = skillsTarget(c, query, "review");
    const asked = Object.fromEntries([...query].filter(([name]) => names.includes(name)));
    const lines = await skills.audit(given(checkQuery(AuditQuery, asked)));
    return c.json({ lines }, 200, UNTRUSTED);
  });

  routes.get("/curator", async (c) => {
    const { skills } = skillsTarget(c, queryOf(c, []), "review");
    const { curator } = await skills.records();
    const report = curator.lastReport === null ? null : await skills.report(curator.lastReport);
    return c.json({ ...curator, isEnabled: skills.hasCurator, report }, 200, UNTRUSTED);
  });

  routes.post("/curator", async (c) => {
    const query = queryOf(c, ["dry"]);
    const target = skillsTarget(c, query, "write");
    await noBody(c);
    const op = await opOf(c, "curate");
    const run = await target.skills.curate({
      dry: query.get("dry") === "1" || isSet(query, "dry"),
      by: target.by,
      op,
    });
    return c.json(run, 200, UNTRUSTED);
  });

  routes.post("/repositories/sync", async (c) => {
    const { skills } = skillsTarget(c, queryOf(c, []), "sync");
    await noBody(c);
    await skills.sync(c.req.raw.signal);
    return c.json({ repositories: await skills.repositories() }, 200, UNTRUSTED);
  });
}

function reviews(routes: Hono<AppEnv>): void {
  routes.get("/drafts", async (c) => {
    const { skills } = skillsTarget(c, queryOf(c, []), "review");
    const { drafts } = await skills.records();
    return c.json({ drafts }, 200, UNTRUSTED);
  });

  routes.post("/drafts", async (c) => {
    const query = queryOf(c, ["name", "over"]);
    const target = skillsTarget(c, query, "write");
    const uploaded = await uploadDraft(c, target, query);
    return c.json(uploaded, 201, UNTRUSTED);
  });

  routes.get("/drafts/:name", async (c) => {
    const { skills } = skillsTarget(c, queryOf(c, []), "review");
    const name = nameOf(c);
    const live = liveSkill(await skills.catalogue(), name);
    return c.json(candidateJson(await skills.candidate(name, live)), 200, UNTRUSTED);
  });

  routes.post("/:name/promote", async (c) => {
    const target = skillsTarget(c, queryOf(c, []), "write");
    const { hash, environments } = await readBody(c.req.raw, PromoteBody);
    const decision = {
      kind: "promote" as const,
      environments: environments ?? target.skills.environments,
    };
    return c.json(await decide(c, target, hash, decision), 200, UNTRUSTED);
  });

  routes.post("/:name/reject", async (c) => {
    const target = skillsTarget(c, queryOf(c, []), "write");
    const { hash, reason } = await readBody(c.req.raw, RejectBody);
    return c.json(await decide(c, target, hash, { kind: "reject", reason }), 200, UNTRUSTED);
  });

  routes.post("/:name/defer", async (c) => {
    const target = skillsTarget(c, queryOf(c, []), "write");
    const { hash, days, reason = null } = await readBody(c.req.raw, DeferBody);
    const until = systemClock.now() + days * DAY_MS;
    return c.json(await decide(c, target, hash, { kind: "defer", until, reason }), 200, UNTRUSTED);
  });
}

function moves(routes: Hono<AppEnv>): void {
  for (const kind of ["pin", "unpin", "archive"] as const)
    routes.post(`/:name/${kind}`, async (c) => {
      const target = skillsTarget(c, queryOf(c, []), "write");
      await noBody(c);
      return c.json(await move(c, target, { kind }), 200, UNTRUSTED);
    });

  routes.post("/:name/restore", async (c) => {
    const target = skillsTarget(c, queryOf(c, []), "write");
    const { archived } = hasBody(c) ? await readBody(c.req.raw, RestoreBody) : {};
    const how = { kind: "restore" as const, ...(archived === undefined ? {} : { archived }) };
    return c.json(await move(c, target, how), 200, UNTRUSTED);
  });
}

async function decide(
  c: Context<AppEnv>,
  { skills, by }: SkillsTarget,
  hash: string,
  decision: Decision,
) {
  const name = nameOf(c);
  const { kind } = decision;
  const op = await opOf(c, [kind, name, hash]);
  const live = liveSkill(await skills.catalogue(), name);
  return skills.decide({ name, hash, decision, live, by, op });
}

async function move(c: Context<AppEnv>, { skills, by }: SkillsTarget, how: SkillMove) {
  const name = nameOf(c);
  const op = await opOf(c, [how, name]);
  const live = liveSkill(await skills.catalogue(), name);
  const hash = await skills.move({ name, move: how, live, by, op });
  return { name, done: how.kind, hash };
}

const queryOf = (c: Context<AppEnv>, names: readonly string[]): FileQuery =>
  exactQueryOf(c.req.raw, [...names, ...WHOSE]);

function nameOf(c: Context<AppEnv>): string {
  const name = c.req.param("name") ?? "";
  if (name.length > MAX_NAME) throw notFound("A skill of so long a name");
  return name;
}

/** The id of a change: that of its idempotency key, or one of its own. */
const opOf = async (c: Context<AppEnv>, asked: unknown): Promise<string> =>
  (await operationOf(c, new TextEncoder().encode(JSON.stringify(asked)))) ??
  `http-${crypto.randomUUID()}`;

const hasBody = (c: Context<AppEnv>): boolean => c.req.header("content-type") !== undefined;

/** Refuses a body that says something where nothing is to be said. */
async function noBody(c: Context<AppEnv>): Promise<void> {
  if (hasBody(c)) await readBody(c.req.raw, NoBody);
}

function checkQuery<Schema extends z.ZodType>(schema: Schema, asked: object): z.output<Schema> {
  const checked = checkValue(schema, asked);
  if ("data" in checked) return checked.data;
  throw invalid(`The parameters are not as expected. ${checked.problems.join("; ")}`);
}
