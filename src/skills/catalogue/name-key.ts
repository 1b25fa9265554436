/** Longer than any name or id there can be. */
const MAX_NAME = 1_024;

/** What names and ids are compared by, as the Agent Skills rules want it. */
export const nameKey = (name: string): string => name.slice(0, MAX_NAME).normalize("NFKC").trim();
