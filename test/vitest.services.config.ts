import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** The adapters against the real servers that `.ci/run` installs and starts. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/services/**/*.test.ts"],
    // Longer than any wait within a test, which says what it waited for. A busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: ["test/support/globalSetup.ts"],
    setupFiles: ["test/support/randomness.ts"],
    passWithNoTests: false,
    isolate: false,
    reporters: ["default", "./test/support/closingLine.ts"]
  }
})
