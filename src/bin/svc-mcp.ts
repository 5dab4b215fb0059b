#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"

// The name belongs to the tool server over this API, which this release does not have yet.
Effect.andThen(
  Console.error(
    "svc-mcp is not part of this release of Pennypress; the HTTP API is: see `pennypress serve`."
  ),
  Effect.sync(() => {
    process.exitCode = 1
  })
).pipe(NodeRuntime.runMain)
