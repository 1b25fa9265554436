import { createSnapshots } from "../../../src/workspace/read/snapshot.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { readableBucket, sharedBy } from "../../support/readable-bucket.ts";
import { catalogueSection } from "../../../src/skills/catalogue/section.ts";
import { assemblePrompt } from "../../../src/context/prompt.ts";
import { sources } from "../../context/prompt-lab.ts";
import {
  ANN,
  cataloguesOf,
  indexFile,
  PROVENANCE,
  provenanceText,
  repositoryOf,
  skillText,
  staged,
} from "./lab.ts";

const text = (name: string): string =>
  `${skillText(name, `Works on ${name}: reads it, changes it, and writes it. Use it whenever ${name} is asked about & <b>nothing else</b> will do, in whatever language.`)}${"A line of instructions.\n".repeat(300)}`;

/** 125 skills each of a template, a repository, the shared layer and the bucket itself, with other files, over real layers. */
export function manySkills() {
  const hub = repositoryOf("hub");
  const named = (layer: string) => Array.from({ length: 125 }, (_, at) => `${layer}-${at}`);
  const files = (layer: string) =>
    Object.fromEntries(
      named(layer).flatMap((name) => [
        [`skills/${name}/SKILL.md`, text(name)],
        [`skills/${name}/references/a.md`, "a"],
        [`skills/${name}/scripts/run.py`, "b"],
      ]),
    );
  const own = readableBucket({
    ...files("own"),
    "MEMORY.md": "- x",
    [PROVENANCE]: provenanceText(Object.fromEntries(named("own").map((name) => [name, {}]))),
  });
  const shared = sharedBy(
    readableBucket({
      ...files("shared"),
      ...indexFile(
        hub,
        named("hub").map((name) => staged(hub, name)),
      ),
    }),
  );
  let reads = 0;
  const read: typeof own.contents.read = (row) => {
    reads += 1;
    return own.contents.read(row);
  };
  const contents = { ...own.contents, read };
  const template = templateOf(files("template"));
  const layers = layersOver({ rows: own.rows, contents }, { shared, template });
  const snapshots = createSnapshots(layers);
  const catalogues = cataloguesOf({ repositories: [hub] });
  const { files: wanted = [], skills = [] } = catalogues.wants;
  return {
    own,
    shared,
    reads: () => reads,
    snapshot: (known: string | null) =>
      snapshots({ known, files: ["MEMORY.md", ...wanted], lists: [], skills }),
    catalogues,
    viewer: ANN,
  };
}

/** The section that a catalogue makes, and the prompt that has it. */
export function promptWith(catalogue: Parameters<typeof catalogueSection>[0]) {
  const section = catalogueSection(catalogue, 12_000);
  if (!section) throw new Error("there is no section");
  const prompt = assemblePrompt(sources({}, { hasWorkspace: false, sections: [section] })).text;
  return { section, prompt };
}
