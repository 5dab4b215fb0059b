import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { GrantActs } from "../../mcp/local/permissions/GrantActs.ts"
import { type Root, withinPlace } from "./program.ts"

/** Makes the commands by which a person ends permissions at once. */
export const revoke = <E, R>(root: Root<E, R>) => {
  const within = withinPlace(root)

  const ending = (name: "discussion" | "publish" | "spending", description: string) =>
    Command.make(name, {}, () =>
      within(
        Effect.gen(function* () {
          const ended = yield* (yield* GrantActs).revoke(name)
          yield* Console.log(`Ended: ${ended}. Acts that may have been sent are still looked up.`)
        })
      )
    ).pipe(Command.withDescription(description))

  return Command.make("revoke").pipe(
    Command.withDescription("End permissions for good"),
    Command.withSubcommands([
      ending("discussion", "End the grants for replies"),
      ending("publish", "End the grants for drafts, and standing attestations"),
      ending("spending", "End the grants for purchases")
    ])
  )
}
