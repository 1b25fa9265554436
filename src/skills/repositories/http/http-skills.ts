import { CarrelError, invalid } from "../../../shared/errors.ts";
import { shortHash } from "../../../shared/short-hash.ts";
import type { Trust } from "../../../shared/skill-facts.ts";
import { labelFrom, repositoryLabel } from "../label.ts";
import type { Fetched, FetchParts, SkillRepository } from "../repository.ts";
import { takeSkills } from "../take-skills.ts";
import { createAsk, type Ask, type Asked } from "./ask.ts";
import { bringSkills } from "./bring-skills.ts";
import { parseIndex } from "./parse-index.ts";
import { contentRevision, indexRevision, parseIndexRevision } from "./revision.ts";

/** A value, or where the deployment has it: what is secret belongs into a variable. */
export type HeaderValue = string | { readonly variable: string };

export type HttpSkillsOptions = {
  /**
   * A site that publishes its skills under `/.well-known/agent-skills/` (or `/.well-known/skills/`), or the address of an
   * index, which ends with `.json`. It may be private: the operator has named it.
   */
  readonly url: string;
  /** Default: made of the host's name. */
  readonly label?: string;
  /** Default `community`. */
  readonly trust?: Trust;
  /** Sent to the origin of `url` only. */
  readonly headers?: Readonly<Record<string, HeaderValue>>;
};

const WELL_KNOWN: readonly string[] = [
  ".well-known/agent-skills/index.json",
  ".well-known/skills/index.json",
];

const MAX_INDEX = 16 * 1024 * 1024;

/**
 * The skills that a web server publishes: by the Agent Skills discovery index, 0.2.0 or 0.1.0
 * (github.com/cloudflare/agent-skills-discovery-rfc), or by one JSON document with all files in it
 * (`{"skills": [{"name": "pdf", "files": {"SKILL.md": "…", "scripts/run.sh": {"base64": "…", "executable": true}}}]}`,
 * where a file may also be `{"url": "…"}`). Digests are checked wherever they are given. Throws `CarrelError('invalid')` for
 * options that cannot be used.
 */
export function httpSkills(options: HttpSkillsOptions): SkillRepository {
  const { trust = "community", headers = {} } = options;
  const url = checkUrl(options.url);
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const places = url.pathname.endsWith(".json")
    ? [url]
    : WELL_KNOWN.map((path) => below(url, path));
  return {
    label: options.label === undefined ? labelFrom(url.hostname) : repositoryLabel(options.label),
    trust,
    key: keyOf(url, headers),
    origins: [url.origin],
    async take(known, parts) {
      parts.signal.throwIfAborted();
      const sent = headersOf(headers, parts);
      return fetchSkills(places, createAsk(parts, url.origin, sent), known, parts);
    },
  };
}

async function fetchSkills(
  places: readonly URL[],
  ask: Ask,
  known: string | null,
  parts: FetchParts,
): Promise<Fetched | "unchanged"> {
  const before = known === null ? null : parseIndexRevision(known);
  const { asked, place } = await askPlaces(places, ask, before);
  if (asked === "unchanged") return "unchanged";
  const revision = await indexRevision(place, asked);
  if (before !== null && before.sha256 === revision.sha256 && before.place === place)
    return "unchanged";
  const index = parseIndex(asked.bytes, asked.url, parts.limits);
  const brought = await bringSkills(index.entries, ask, parts.limits);
  const taken = takeSkills(brought.skills, parts.limits);
  const problems = [...index.problems, ...brought.problems, ...taken.problems];
  if (index.isBound && problems.length === 0)
    return { ...taken, problems, revision: revision.text };
  const content = await contentRevision(taken.skills, problems);
  return content === known ? "unchanged" : { ...taken, problems, revision: content };
}

/** The index of the first place that has one. */
async function askPlaces(
  places: readonly URL[],
  ask: Ask,
  before: ReturnType<typeof parseIndexRevision>,
): Promise<{ readonly asked: Asked | "unchanged"; readonly place: number }> {
  for (const [place, url] of places.entries()) {
    const etag = before?.place === place ? before.etag : null;
    try {
      return { asked: await ask(url, { maxBytes: MAX_INDEX, etag }), place };
    } catch (error) {
      const isLast = place === places.length - 1;
      if (isLast || !(error instanceof CarrelError) || error.code !== "not_found") throw error;
    }
  }
  throw new Error("an index without a place");
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw invalid("The url of a skill repository must be a complete http or https address.");
  if (url.username !== "" || url.password !== "")
    throw invalid(
      "The url of a skill repository must hold no user name or password. Send them in a header.",
    );
  return url;
}

function checkHeader(name: string, value: HeaderValue): void {
  try {
    new Headers([[name, typeof value === "string" ? value : ""]]);
  } catch {
    throw invalid(`A skill repository cannot send the header ${JSON.stringify(name)}.`);
  }
}

/** Site and path of `url`, whether it ends with a slash or not. */
function below(url: URL, path: string): URL {
  const base = new URL(url.href);
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return new URL(path, base);
}

/** Query and header values may be secret, and only say by their hash that they are others. */
function keyOf(url: URL, headers: NonNullable<HttpSkillsOptions["headers"]>): string {
  const sent = Object.entries(headers).map(([name, value]) => {
    const what = typeof value === "string" ? shortHash(value) : `$${value.variable}`;
    return `${name.toLowerCase()}=${what}`;
  });
  const query = url.search === "" ? "" : `?${shortHash(url.search)}`;
  return ["http", `${url.origin}${url.pathname}${query}`, ...sent.toSorted()].join(" ");
}

function headersOf(
  headers: NonNullable<HttpSkillsOptions["headers"]>,
  { binding }: FetchParts,
): Headers {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      sent.set(name, typeof value === "string" ? value : secretOf(value.variable, name, binding));
    } catch (error) {
      if (error instanceof CarrelError) throw error;
      throw invalid(`What is to be sent as the header ${name} of a skill repository cannot be.`);
    }
  }
  return sent;
}

function secretOf(variable: string, header: string, binding: FetchParts["binding"]): string {
  const value = binding(variable);
  if (typeof value === "string" && value !== "") return value;
  throw invalid(
    `The variable ${variable} is not set. A skill repository sends it as the header ${header}.`,
  );
}
