import { keepMeanings } from "../../../src/memory/semantic/keep-meanings.ts";
import { fuseSearches } from "../../../src/memory/semantic/fuse.ts";
import { createSemanticSearch } from "../../../src/memory/semantic/semantic-search.ts";
import { bucketPrefix } from "../../../src/shared/bucket-key.ts";
import { describeMemorySearch, type SearchBench } from "../../contracts/memory-search-contract.ts";
import { MeaningsLab } from "../../support/meanings.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

const files = new WorkspaceLab();
const { meanings } = new MeaningsLab();

const byWords = (user: string): SearchBench => {
  const workspace = files.workspace({ user: `words-${user}` });
  return { workspace, search: workspace, settle: async () => {} };
};

const byMeaning = (user: string): SearchBench => {
  const workspace = files.workspace({ user });
  const bucket = bucketPrefix({ scope: "USER", agent: "main", user });
  const settle = async () => void (await keepMeanings(workspace, bucket, meanings));
  return { workspace, search: createSemanticSearch(workspace, bucket, meanings), settle };
};

const byBoth = (user: string): SearchBench => {
  const bench = byMeaning(`both-${user}`);
  return { ...bench, search: fuseSearches(bench.workspace, bench.search, () => {}) };
};

describeMemorySearch("search by words", byWords);
describeMemorySearch("search by meaning", byMeaning);
describeMemorySearch("search by both", byBoth);
