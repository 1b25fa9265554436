import type { SessionLab } from "./session-lab.ts";

/** Lets the newest turn end, or break off, where its tools have real parts, which do not only wait for promises. */
export async function atRest(lab: SessionLab): Promise<void> {
  for (let rounds = 0; rounds < 20; rounds++) {
    await lab.settle();
    if (lab.entries().at(-1)?.kind === "end") return;
  }
}
