import { simulateSeeds } from "./seeds.ts";

simulateSeeds(1, 19_999);
