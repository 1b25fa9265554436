import { askingScenarios } from "./crash-scenarios-asking.ts";
import { sweep } from "./crash-sweep.ts";

sweep(
  askingScenarios,
  "accept register claim recover attempt step start intent result stop job ask wait answer permissions steer title clear",
);
