import { configDefaults, defineConfig } from "vitest/config"
import base from "./vitest.config.ts"

// The gate starts Ceph when the storage has changed.
const withoutCeph = process.env["SERVICES_S3_URL"] === undefined ? ["test/services/s3.test.ts"] : []

/** The adapters against the real servers that `.ci/run` installs and starts. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["test/services/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...withoutCeph]
  }
})
