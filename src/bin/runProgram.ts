import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Runtime } from "effect"
import { explainFailure } from "./failures.ts"

/**
 * Exits with 0 after a requested stop of the service: supervisors take any other status for a crash. A command that is cut
 * off did not do its work, and exits with 130.
 */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) && process.exitCode === 0
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

/** Runs a program until it ends, or until SIGINT or SIGTERM interrupts it. */
export const runProgram = <A, E>(program: Effect.Effect<A, E, NodeServices.NodeServices>) =>
  program.pipe(explainFailure, Effect.provide(NodeServices.layer), NodeRuntime.runMain({ teardown }))
