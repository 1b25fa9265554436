import { simulateSeeds } from "./seeds.ts";

simulateSeeds(1);
