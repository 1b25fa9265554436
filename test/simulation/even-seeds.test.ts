import { simulateSeeds } from "./seeds.ts";

simulateSeeds(2, 5_000);
