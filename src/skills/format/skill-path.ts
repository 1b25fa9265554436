import { invalid } from "../../shared/errors.ts";
import { utf8Length } from "../../shared/text.ts";
import { workspacePath } from "../../workspace/layers/path.ts";

/** So that the path also fits where a skill is archived or staged: a workspace path has at most 512. */
const MAX_BYTES = 360;

/** Where files beside SKILL.md are written to, by AgentScope's rule. */
const SUPPORT: readonly string[] = ["references", "templates", "scripts", "assets"];

/**
 * The one spelling of a file's path in its skill: `scripts/run.py`. Throws `invalid` for one that is absolute, goes up or
 * names no file, and for all that `workspacePath` refuses. Canonical paths come back unchanged.
 */
export function skillPath(path: string): string {
  if (path.startsWith("/"))
    throw invalid(
      'A path in a skill must not begin with "/". Write it from the skill\'s directory, for example "scripts/run.py".',
    );
  const canonical = workspacePath(path);
  if (canonical === "" || /(?:^|\/)\.?$/.test(path))
    throw invalid('A path in a skill has to name a file, for example "scripts/run.py".');
  if (utf8Length(canonical) > MAX_BYTES)
    throw invalid(`A path in a skill must not be longer than ${MAX_BYTES} bytes.`);
  return canonical;
}

/** The same for a file beside SKILL.md: it has to be in one of the four directories for such files. */
export function supportPath(path: string): string {
  const canonical = skillPath(path);
  const [first = "", ...rest] = canonical.split("/");
  if (!SUPPORT.includes(first) || rest.length === 0)
    throw invalid(
      `Files beside SKILL.md belong in ${SUPPORT.map((name) => `${name}/`).join(", ")}. Write it there, for example "scripts/run.py".`,
    );
  return canonical;
}
