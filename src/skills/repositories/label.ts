import { invalid } from "../../shared/errors.ts";

const LABEL = /^[a-z0-9][a-z0-9.-]{0,63}$/;
/** The layers of a workspace, which are sources of skills, too. */
const RESERVED: readonly string[] = ["own", "shared", "template"];

/** A label that the ids of skills can end with. Throws `CarrelError('invalid')`. */
export function repositoryLabel(label: string): string {
  if (!LABEL.test(label) || RESERVED.includes(label))
    throw invalid(
      'The label of a skill repository must be 1 to 64 lower-case letters, digits, "." or "-", a letter or digit first, and not own, shared or template.',
    );
  return label;
}

/** A label made of another name. */
export function labelFrom(name: string): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 64);
  return repositoryLabel(label === "" || RESERVED.includes(label) ? `skills-${label}` : label);
}
