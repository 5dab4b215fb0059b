import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Config, Effect, Exit, Layer, References, Runtime } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { ToolFailure } from "../../../schemas/mcp/ToolFailure.ts"
import { EXIT } from "../../mcp/local/failures/markerKind.ts"
import { markerOf } from "../../mcp/local/failures/markers.ts"
import { Path, textFlag } from "../arguments/checkedArguments.ts"
import { oneSentence } from "../arguments/oneSentence.ts"
import { grant, revoke } from "./grants.ts"
import { publication } from "./publication.ts"
import { serve } from "./serve.ts"
import { setup } from "./setup.ts"
import { status } from "./status.ts"
import { wallet } from "./wallet.ts"

const root = Command.make("svc-mcp").pipe(
  Command.withDescription("Tools of Pennypress for AI agents, with the permissions that a person gives here"),
  Command.withSharedFlags({
    origin: Flag.String("origin").pipe(
      Flag.withDescription("The origin of the service, https://host; the same for every command"),
      Flag.withFallbackConfig(Config.NonEmptyString("SVC_ORIGIN")),
      Flag.optional
    ),
    stateDir: textFlag("state-dir", Path).pipe(
      Flag.withDescription("The directory of the identity and its permissions; the same for every command"),
      Flag.withFallbackConfig(Config.NonEmptyString("SVC_STATE_DIR")),
      Flag.optional
    )
  })
)

/** The program `svc-mcp`. */
export const command = root.pipe(
  Command.withSubcommands([
    grant(root),
    publication(root),
    revoke(root),
    serve(root),
    setup(root),
    status(root),
    wallet(root)
  ])
)

/** Describes a failure in words, with the next step to take. */
const tell = ({ code, fields, message, nextStep, retryAfterSeconds }: ToolFailure) => {
  const members = fields.map(({ field, message }) => `\n  ${field}: ${message}`).join("")
  const next = nextStep === null ? "" : `\n  ${nextStep}.`
  const wait = retryAfterSeconds === null ? "" : `\n  Wait ${retryAfterSeconds} s before the next try.`
  process.stderr.write(`svc-mcp: ${message} (${code}).${members}${next}${wait}\n`)
}

/** Gives every failure its exit status: sysexits(3) for those of this program, 1 for a defect. */
const statusOf = (cause: Cause.Cause<unknown>): number | undefined => {
  const failure = Cause.squash(cause)
  if (failure instanceof ToolFailure) {
    tell(failure)
    return markerOf(failure.code).exit
  }
  if (CliError.isCliError(failure)) {
    return failure._tag === "ShowHelp" && failure.errors.length === 0 ? 0 : EXIT.usage
  }
  return undefined
}

/** Ends with 0 at the end of the input, which the library reports as an interruption. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

/** Runs the program `svc-mcp` with the arguments of this process. */
export const runLocal = () =>
  Command.run(command, { version: TOOL_SERVER_VERSION }).pipe(
    Effect.catchCause((cause) => {
      const status = statusOf(cause)
      return status === undefined
        ? Effect.failCause(cause)
        : Effect.sync(() => {
            process.exitCode = status
          })
    }),
    Effect.provideService(References.LogToStderr, true),
    Effect.provide(Layer.merge(NodeServices.layer, oneSentence("svc-mcp"))),
    NodeRuntime.runMain({ teardown })
  )
