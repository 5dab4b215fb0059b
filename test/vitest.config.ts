import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig, type Plugin } from "vitest/config"

/** The files that start and kill processes, or wait for real time. */
export const LONG_FILES = "test/**/*.long.test.ts"

const soaking = process.env["SOAK"] !== undefined

/** Takes packages as they are published. Their development builds check themselves and are slower: the soak runs those. */
const packagesAsPublished: Plugin = {
  name: "packages-as-published",
  // Last, as Vitest adds the condition of development to those of a configuration.
  configResolved: {
    order: "post",
    handler: ({ ssr }) => {
      if (!soaking) Object.assign(ssr.resolve!, { conditions: ["node"] })
    }
  }
}

export default defineConfig({
  plugins: [packagesAsPublished],
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    // With `SOAK` set, long files run as well.
    exclude: [...configDefaults.exclude, "test/{cluster,services}/**", ...(soaking ? [] : [LONG_FILES])],
    // Longer than any wait within a test, which says what it waited for. A busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    passWithNoTests: false,
    globalSetup: ["test/support/globalSetup.ts"],
    setupFiles: ["test/support/randomness.ts"],
    // Nothing here keeps state in a module, and reusing workers is three times as fast on two cores.
    isolate: false,
    // One of them waits for PostgreSQL while the others compute, on two cores. Long files start processes of their own.
    maxWorkers: soaking ? 2 : 3,
    reporters: ["default", "./test/support/closingLine.ts"]
  }
})
