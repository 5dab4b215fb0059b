import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** The adapters against the real servers that `.ci/run` installs and starts. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/services/**/*.test.ts"],
    // Some start servers and copy their binaries: a busy machine is no failure.
    testTimeout: 20_000,
    globalSetup: ["test/support/globalSetup.ts"],
    passWithNoTests: false,
    isolate: false,
    reporters: ["default", "./test/support/closingLine.ts"]
  }
})
