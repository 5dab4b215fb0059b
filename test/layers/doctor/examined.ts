import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect } from "effect"
import { examine } from "../../../layers/doctor/doctor.ts"
import type { Finding } from "../../../layers/doctor/Finding.ts"

/** A set-up that needs nothing of the world. */
const alone = { SCANNER: "none", PENNYPRESS_DATA: "/nowhere", PORT: "1" }

/** Examines the set-up with these variables. Returns the findings of a part. */
export const examined = (env: Readonly<Record<string, string>>) =>
  examine.pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { ...alone, ...env } })
    ),
    Effect.map((findings) => (name: Finding["name"]) => findings.filter((it) => it.name === name))
  )

/** Returns the states of findings. */
export const states = (findings: ReadonlyArray<Finding>) => findings.map(({ state }) => state)
