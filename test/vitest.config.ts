import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/services/**"],
    // Longer than any wait within a test, which says what it waited for. A busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: ["test/support/globalSetup.ts"],
    setupFiles: ["test/support/randomness.ts"],
    // Nothing here keeps state in a module, and reusing workers is three times as fast on two cores.
    isolate: false,
    // Half of them wait for PostgreSQL while the other half computes.
    maxWorkers: 2,
    reporters: ["default", "./test/support/closingLine.ts"]
  }
})
