import { simulateSeeds } from "./seeds.ts";

simulateSeeds(2, 20_000);
