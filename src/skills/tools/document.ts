/** A skill's document. */
export const DOCUMENT = "SKILL.md";

/** Whether a path in a skill's directory is that of its document, which may be written in lower case. */
export const isDocument = (path: string): boolean => path.toLowerCase() === "skill.md";
