import type { UserSettings } from "../../src/shared/registry-api.ts";

/** What the registry gives of a user who has set nothing. */
export const noSettings: UserSettings = { timeZone: null };
