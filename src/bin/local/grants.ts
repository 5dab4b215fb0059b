import { Console, DateTime, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { RawAmount, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { GrantActs, type SeenDraft } from "../../mcp/local/GrantActs.ts"
import { lifetimeOf } from "../../mcp/local/grants/lifetimes.ts"
import { Origin } from "../../mcp/local/service/Origin.ts"
import { textFlag } from "../arguments/checkedArguments.ts"
import { confirmTyped } from "./person.ts"
import { type Root, withinPlace } from "./program.ts"

/** The flag with the life of a grant. */
export const expires = (usual: string) =>
  Flag.String("expires").pipe(
    Flag.withDescription(`How long the grant lasts: 45m, 12h, 30d (default ${usual})`),
    Flag.withDefault(usual)
  )

/** The flag that names a draft. */
export const post = textFlag("post", PostId).pipe(Flag.withDescription("The id of the draft"))

/** Returns the milliseconds of a flag. */
export const lifetime = (text: string) => {
  const millis = lifetimeOf(text)
  return millis === undefined
    ? Effect.fail(
        marked("validation", {
          fields: [{ field: "expires", code: "invalid", message: "Name it as 45m, 12h or 30d" }]
        })
      )
    : Effect.succeed(millis)
}

/** Removes the characters of a title on which a terminal would act. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "·").slice(0, 200)

/** Returns the lines by which a person knows a draft. */
export const linesOf = ({ bytes, digest, revision, title }: SeenDraft): ReadonlyArray<string> => [
  `  title     ${printable(title)}`,
  `  revision  ${revision}`,
  `  size      ${bytes} bytes`,
  `  SHA-256   ${digest}`
]

/** Says until when a grant is active. */
export const sayExpiry = ({ expiresAt }: { readonly expiresAt: number }) =>
  Console.log(`Allowed until ${DateTime.formatIso(DateTime.makeUnsafe(expiresAt))}.`)

const raw = (name: string, description: string) =>
  textFlag(name, RawAmount).pipe(Flag.withDescription(description))

/** Makes the commands by which a person gives a permission, after typing back a text that is shown. */
export const grant = <E, R>(root: Root<E, R>) => {
  const within = withinPlace(root)

  const discussion = Command.make("discussion", { expires: expires("30d") }, (flags) =>
    within(
      Effect.gen(function* () {
        const acts = yield* GrantActs
        const millis = yield* lifetime(flags.expires)
        const lines = [`Replies to visible Comments on ${yield* Origin}, for ${flags.expires}.`]
        yield* confirmTyped(lines, "discussion")
        yield* sayExpiry(yield* acts.discussion(millis))
      })
    )
  ).pipe(Command.withDescription("Allow replies to Comments"))

  const draft = Command.make("draft", { post, expires: expires("24h") }, (flags) =>
    within(
      Effect.gen(function* () {
        const acts = yield* GrantActs
        const millis = yield* lifetime(flags.expires)
        const seen = yield* acts.look(flags.post)
        const lines = [`One publication on ${yield* Origin} of the draft`, ...linesOf(seen)]
        yield* confirmTyped(lines, seen.digest.slice(0, 8))
        yield* sayExpiry(yield* acts.draft(seen, millis))
      })
    )
  ).pipe(Command.withDescription("Allow one publication of a draft as it is now"))

  const spending = Command.make(
    "spending",
    {
      workflow: Flag.Literals("workflow", ["buy_post"]).pipe(Flag.withDescription("The kind of payments")),
      total: raw("max-total-raw", "The most that all purchases may cost together, in raw"),
      each: raw("max-each-raw", "The most that one purchase may cost, in raw"),
      expires: Flag.String("expires").pipe(
        Flag.withDescription("How long the grant lasts: 45m, 12h, 30d (at most 30d)")
      )
    },
    (flags) =>
      within(
        Effect.gen(function* () {
          const acts = yield* GrantActs
          const millis = yield* lifetime(flags.expires)
          const lines = [
            `Purchases on ${yield* Origin}, for ${flags.expires}:`,
            `  in all    ${xnoOfRaw(flags.total)} XNO (${flags.total} raw)`,
            `  for each  ${xnoOfRaw(flags.each)} XNO (${flags.each} raw)`
          ]
          yield* confirmTyped(lines, String(flags.total))
          yield* sayExpiry(yield* acts.spending({ maxTotalRaw: flags.total, maxEachRaw: flags.each }, millis))
        })
      )
  ).pipe(Command.withDescription("Allow purchases up to an amount"))

  return Command.make("grant").pipe(
    Command.withDescription("Grant a permission, at a terminal"),
    Command.withSubcommands([discussion, draft, spending])
  )
}

/** Makes the commands by which a person ends permissions. */
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
