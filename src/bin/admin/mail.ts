import { Console, Effect, Option, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { atMost, Text } from "../../../schemas/platform/Text.ts"
import { readReport, REPORT_BYTES_MAX } from "../../engagement/subscribers/bounces/bounceReport.ts"
import { textFlag } from "../arguments/checkedArguments.ts"
import { calling, url } from "./connection.ts"

/** Characters of an address, at most. */
const ADDRESS_MAX = 320

/** Reads the beginning of the standard input, as characters that are bytes. It takes the rest, so that no writer breaks. */
const input = Effect.flatMap(Stdio.Stdio, ({ stdin }) =>
  Stream.runFold(
    stdin,
    () => "",
    (text, chunk: Uint8Array) =>
      text.length >= REPORT_BYTES_MAX
        ? text
        : text + Buffer.from(chunk.subarray(0, REPORT_BYTES_MAX - text.length)).toString("latin1")
  )
)

const UNKNOWN = "The report names no reader of this service. Nothing changed."

const bounce = Command.make(
  "bounce",
  {
    url,
    recipient: textFlag("recipient", Text.check(atMost(ADDRESS_MAX))).pipe(
      Flag.withDescription("The address that got the report, if its headers do not say it"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (it) {
    const { kind, token } = readReport(yield* input, Option.getOrUndefined(it.recipient))
    if (kind === undefined)
      return yield* Console.log("No mail failed, and no one complained. Nothing changed.")
    if (token === undefined) return yield* Console.log(UNKNOWN)
    yield* calling(
      it.url,
      (client) => client["mail.bounce"]({ token, kind }),
      ({ isReader }) => [
        isReader
          ? kind === "failure"
            ? "Counted a mail that did not arrive."
            : "Ended all mail to a reader who complained."
          : UNKNOWN
      ]
    )
  })
).pipe(Command.withDescription("Take the report of a mail server from the standard input"))

/** Commands for the operator's mail server. */
export const mail = Command.make("mail").pipe(
  Command.withDescription("What mail servers report about mail to readers"),
  Command.withSubcommands([bounce])
)
