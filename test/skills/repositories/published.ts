import { createHash } from "node:crypto";
import type { SkillFile } from "../../../src/shared/skill-facts.ts";
import type { Fetch } from "../../../src/shared/guarded-fetch.ts";
import type { FetchedSkill } from "../../../src/skills/repositories/repository.ts";
import { buildZip } from "../../support/zip-builder.ts";
import { buildTarGz } from "./tar-builder.ts";

export const SITE = "https://skills.example.com";
export const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
export const NEW_INDEX = "/.well-known/agent-skills/index.json";
export const OLD_INDEX = "/.well-known/skills/index.json";

export const dataOf = ({ content }: SkillFile): Buffer =>
  Buffer.from("text" in content ? content.text : content.bytes);

export const digestOf = (data: Uint8Array): string =>
  `sha256:${createHash("sha256").update(data).digest("hex")}`;

export type Pages = Map<string, Uint8Array | string>;

/** A way to publish skills: pages by their address. */
export type Form = (skills: readonly FetchedSkill[]) => Pages;

export const inline: Form = (skills) => {
  const listed = skills.map(({ directory: name, files }) => ({
    name,
    files: Object.fromEntries(
      files.map((file) => {
        const { path, content, executable } = file;
        if (!executable && "text" in content) return [path, content.text];
        return [path, { base64: dataOf(file).toString("base64"), executable }];
      }),
    ),
  }));
  return new Map([["/skills.json", JSON.stringify({ skills: listed })]]);
};

export const published: Form = (skills) => {
  const pages: Pages = new Map();
  const listed = skills.map(({ directory: name, files }) => {
    for (const file of files) {
      const path = file.path.split("/").map(encodeURIComponent).join("/");
      pages.set(`/.well-known/skills/${encodeURIComponent(name)}/${path}`, dataOf(file));
    }
    return { name, description: "d", files: files.map(({ path }) => path) };
  });
  return pages.set(OLD_INDEX, JSON.stringify({ skills: listed }));
};

const artifacts =
  (type: string, end: string, pack: (files: readonly SkillFile[]) => Uint8Array): Form =>
  (skills) => {
    const pages: Pages = new Map();
    const listed = skills.map(({ directory: name, files }) => {
      const data = pack(files);
      const path = `${encodeURIComponent(name)}${end}`;
      pages.set(`/.well-known/agent-skills/${path}`, data);
      return { name, type, description: "d", url: path, digest: digestOf(data) };
    });
    return pages.set(NEW_INDEX, JSON.stringify({ $schema: SCHEMA, skills: listed }));
  };

export const documents: Form = artifacts("skill-md", "/SKILL.md", ([file]) =>
  file ? dataOf(file) : Buffer.of(),
);

export const zipOf = (files: readonly SkillFile[], root = ""): Uint8Array<ArrayBuffer> =>
  buildZip(
    files.map((file) => {
      const mode = file.executable ? 0o100755 : 0o100644;
      return { name: `${root}${file.path}`, content: dataOf(file), deflate: true, mode };
    }),
  );

export const tarOf = (files: readonly SkillFile[], root = ""): Uint8Array =>
  buildTarGz(
    files.map((file) => {
      const mode = file.executable ? 0o755 : 0o644;
      return { name: `${root}${file.path}`, content: dataOf(file), mode };
    }),
  );

export const zips: Form = artifacts("archive", ".zip", (files) => zipOf(files));
export const tars: Form = artifacts("archive", ".tar.gz", (files) => tarOf(files, "./"));

export type Request = { readonly url: string; readonly headers: Headers };

/** A web server: what it has, what it was asked, and how it answers. */
export class Site {
  pages: Pages = new Map();
  readonly requests: Request[] = [];
  state: "fails" | "stalls" | null = null;
  hasEtags = true;

  readonly fetch: Fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    this.requests.push({ url: url.href, headers });
    if (this.state === "stalls") return new Promise<Response>(() => {});
    if (this.state === "fails") return new Response("secret stack", { status: 503 });
    const page = this.pages.get(url.origin === SITE ? url.pathname : url.href);
    if (page === undefined) return new Response("", { status: 404 });
    const data = typeof page === "string" ? Buffer.from(page) : page;
    const etag = `"${digestOf(data).slice(7, 20)}"`;
    if (this.hasEtags && headers.get("if-none-match") === etag)
      return new Response(null, { status: 304 });
    return new Response(Uint8Array.from(data), { headers: this.hasEtags ? { etag } : {} });
  };
}
