import { noWork } from "../../src/shared/plan.ts";
import type { SessionNow } from "../../src/turn/capability.ts";

/** A session in which nothing is planned and nobody has chosen anything. */
export const quietSession = (): SessionNow => ({ ...noWork, mode: "DEFAULT" });
