import { configDefaults, defineConfig } from "vitest/config"
import base, { LONG_FILES } from "./vitest.config.ts"

/** The long files by themselves, in their short form unless `SOAK` is set. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [LONG_FILES],
    exclude: configDefaults.exclude,
    // They wait for processes and for real time.
    ...(process.env["SOAK"] === undefined ? { maxWorkers: 4 } : {})
  }
})
