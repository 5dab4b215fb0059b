import { defineConfig } from "vitest/config"
import base from "./vitest.config.ts"

/** Faults of a real cluster, which the run starts. One after the other, as they share it. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["test/cluster/**/*.test.ts"],
    exclude: [],
    globalSetup: ["test/cluster/cluster.ts"],
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 600_000
  }
})
