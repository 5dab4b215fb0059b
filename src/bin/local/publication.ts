import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { CreationDetails } from "../../../schemas/publishing/posts/PostDraft.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { GrantActs } from "../../mcp/local/GrantActs.ts"
import { textFlag } from "../arguments/checkedArguments.ts"
import { expires, lifetime, linesOf, linesOfEnd, post, sayExpiry } from "./grants.ts"
import { askChoice, confirmTyped } from "./person.ts"
import { type Root, withinPlace } from "./program.ts"

const required = (field: string, message: string) =>
  marked("validation", { fields: [{ field, code: "required", message }] })

/** Makes the command by which a person says how a Post was made. */
export const publication = <E, R>(root: Root<E, R>) => {
  const within = withinPlace(root)

  const standing = Effect.fnUntraced(function* (life: string) {
    const acts = yield* GrantActs
    const millis = yield* lifetime(life)
    const lines = [
      "This agent may publish, and declare that it wrote each Post by itself:",
      ...(yield* linesOfEnd(millis))
    ]
    yield* confirmTyped(lines, "standing")
    yield* sayExpiry(yield* acts.standing(millis))
  })

  const attest = Command.make(
    "attest",
    {
      post: post.pipe(Flag.optional),
      method: Flag.Literals("method", CreationMethod.literals).pipe(
        Flag.withDescription("How the Post was made; asked for when it is left out"),
        Flag.optional
      ),
      details: textFlag("details", CreationDetails).pipe(
        Flag.withDescription("More about it, for readers; at most 280 characters"),
        Flag.optional
      ),
      isStanding: Flag.Boolean("standing").pipe(
        Flag.withDescription("Let an agent declare its own work from now on"),
        Flag.withDefault(false)
      ),
      expires: expires("30d")
    },
    (flags) =>
      within(
        Effect.gen(function* () {
          if (flags.isStanding) return yield* standing(flags.expires)
          if (Option.isNone(flags.post)) return yield* required("post", "Name the draft, or --standing")
          const acts = yield* GrantActs
          const seen = yield* acts.look(flags.post.value)
          const method = Option.isSome(flags.method)
            ? flags.method.value
            : yield* askChoice("How was it made?", CreationMethod.literals)
          yield* confirmTyped([`You attest that this draft is ${method}:`, ...linesOf(seen)], method)
          const { updatedAt } = yield* acts.attest(seen, method, Option.getOrUndefined(flags.details))
          yield* Console.log(`Attested. The revision is ${updatedAt} now.`)
        })
      )
  ).pipe(Command.withDescription("Say how a draft was made, as your own act"))

  return Command.make("publication").pipe(
    Command.withDescription("Declarations about publications"),
    Command.withSubcommands([attest])
  )
}
