import { simulateSeeds } from "./seeds.ts";

simulateSeeds(1, 4_999);
