import { scenarios } from "./crash-scenarios.ts";
import { sweep } from "./crash-sweep.ts";

sweep(
  scenarios,
  "accept register claim start recover attempt retry live step intent result stop end compact job",
);
