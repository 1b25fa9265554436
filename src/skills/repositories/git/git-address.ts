import { invalid } from "../../../shared/errors.ts";
import { cutAt } from "../../../shared/text.ts";

/** Where a Git repository is. */
export type GitAddress = {
  /** Without a slash at the end. */
  readonly url: string;
  readonly origin: string;
  /** How it is called in messages: `github.com/acme/skills`. */
  readonly where: string;
  /** `skills` of `…/acme/skills.git`. */
  readonly name: string;
  /** `acme-skills`, in the alphabet of labels. */
  readonly slug: string;
};

/** An http(s) address without credentials, query and fragment. Throws `CarrelError('invalid')`, which never repeats the address. */
export function gitAddress(text: string): GitAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw invalid(
      "gitSkills takes the http(s) address of a repository: https://github.com/acme/skills.",
    );
  if (url.username !== "" || url.password !== "")
    throw invalid(
      `gitSkills: the address at ${url.host} holds a login. Give the token as a secret of the Worker, and name it: token: { variable: "NAME" }.`,
    );
  if (url.search !== "" || url.hash !== "")
    throw invalid(`gitSkills: the address at ${url.host} has a query or a fragment. Leave it out.`);
  const path = url.pathname.replace(/\/$/, "");
  const segments = path.replace(/\.git$/, "").split("/");
  const name = segments.at(-1) ?? "";
  if (name === "")
    throw invalid(`gitSkills: the address at ${url.host} names no repository. Add its path.`);
  return {
    url: url.origin + path,
    origin: url.origin,
    where: cutAt(url.host + path, 200),
    name: slug(name),
    slug: slug(segments.slice(-2).join("-")),
  };
}

/** Any text in the alphabet of labels; empty when nothing of it is left. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, "-")
    .replace(/^[.-]+/, "");

/** A path inside a repository: relative, without `.` and `..`. Throws `CarrelError('invalid')`. */
export function gitPath(text: string): string {
  const segments = text.replace(/\/$/, "").split("/");
  if (text.length > 500 || segments.some((segment) => nameProblem(segment) !== null))
    throw invalid(
      `gitSkills: ${JSON.stringify(cutAt(text, 100))} is no path in a repository. Write it relative to its root, like "agents/skills", without "." and "..".`,
    );
  return segments.join("/");
}

/** Why a file or directory of this name cannot be used; `null` when it can. */
export function nameProblem(name: string): string | null {
  if (name === "" || name === "." || name === "..") return "its name is no name";
  if (/[\\\p{Cc}\ufffd]/u.test(name)) return "its name has a character that paths cannot have";
  return name.length > 200 ? "its name is longer than 200 characters" : null;
}

/** A branch as Git names them. Throws `CarrelError('invalid')`. */
export function gitBranch(text: string): string {
  const name = text.replace(/^refs\/heads\//, "");
  if (name === "" || name.length > 200 || /[\p{Cc} ~^:?*[\\]|\.\.|@\{|^[-/]|[/.]$/u.test(name))
    throw invalid(
      `gitSkills: ${JSON.stringify(cutAt(text, 100))} is no name of a branch. Write it like "main".`,
    );
  return name;
}
