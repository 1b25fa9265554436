import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * `node`: pure code and rules; `seeds`: simulated sessions; `worker`: in workerd; `crash`: the real dev server, killed; `browser`: Chromium;
 * `long`: what takes minutes.
 */
export default defineConfig({
  root,
  test: {
    // The seeds are two files so that they take both cores of a small machine.
    maxWorkers: 2,
    // Every turn in workerd writes some, as in production.
    onConsoleLog: (log) => !log.startsWith('{"event":"span"'),
    projects: [
      {
        root,
        test: {
          name: "node",
          environment: "node",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/worker/**",
            "test/crash/**",
            "test/browser/**",
            "test/long/**",
            "test/simulation/*-seeds.test.ts",
          ],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Nothing lasts from one file to the next (promise I5), so they may share a worker: it saves a fifth.
          isolate: false,
        },
      },
      {
        root,
        test: {
          name: "seeds",
          environment: "node",
          include: ["test/simulation/*-seeds.test.ts"],
          testTimeout: 60_000,
        },
      },
      {
        root,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            main: "./test/support/worker.ts",
            // Objects that crash on purpose would fill the screen.
            verbose: false,
          }),
        ],
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // `CRASH_PAIRS=75`: so many second crashes of each scenario in the crash sweep (`npm run test:crash`).
          // `AT_ONCE=200`: so many calls and keys get twenty requests each at once, which takes a minute.
          provide: {
            crashPairs: Number(process.env.CRASH_PAIRS ?? 6),
            atOnce: Number(process.env.AT_ONCE ?? 20),
          },
        },
      },
      {
        root,
        test: {
          name: "crash",
          environment: "node",
          include: ["test/crash/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        root,
        test: {
          name: "browser",
          environment: "node",
          include: ["test/browser/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A page on a busy machine is slow, which is no fault of it.
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        root,
        test: {
          name: "long",
          environment: "node",
          include: ["test/long/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
