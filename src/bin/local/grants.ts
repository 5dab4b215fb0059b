import { Console, DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { RawAmount, rawOfXno, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
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
          fields: [{ field: "expires", code: "invalid", message: "Use a duration such as 45m, 12h or 30d" }]
        })
      )
    : Effect.succeed(millis)
}

/** Removes the characters of a title on which a terminal would act. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "·").slice(0, 200)

/** Returns the lines by which a person knows a draft. */
export const linesOf = ({ bytes, digest, freedPart, revision, title }: SeenDraft): ReadonlyArray<string> => [
  `  title     ${printable(title)}`,
  `  revision  ${revision}`,
  `  size      ${bytes} bytes`,
  `  SHA-256   ${digest}`,
  ...(freedPart === null ? [] : [`  WARNING   ${freedPart}`])
]

const isoOf = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** Returns the lines that say when a grant of this length ends. */
export const linesOfEnd = Effect.fnUntraced(function* (lifetimeMillis: number) {
  const { expiresAt, seenAt } = yield* (yield* GrantActs).endOf(lifetimeMillis)
  return [
    `  until     ${isoOf(expiresAt)}`,
    ...(seenAt === undefined
      ? []
      : [
          `The clock of this machine is behind ${isoOf(seenAt)}, the last time that this directory saw. The grant counts from`,
          "that time, so it lasts longer. Set the clock if it is wrong. If it was wrong then, use another --state-dir."
        ])
  ]
})

/** Says until when a grant is active. */
export const sayExpiry = ({ expiresAt }: { readonly expiresAt: number }) =>
  Console.log(`Allowed until ${isoOf(expiresAt)}.`)

const xno = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}, in XNO, such as 0.1`), Flag.optional)

const raw = (name: string) =>
  textFlag(name, RawAmount).pipe(
    Flag.withDescription("The same in raw, 10^30 to an XNO, for programs"),
    Flag.optional
  )

/** Returns the raw of a limit, which one of two flags names. */
const limitOf = Effect.fnUntraced(function* (
  field: string,
  inXno: Option.Option<string>,
  inRaw: Option.Option<bigint>
) {
  const named = Option.orElse(Option.flatMap(inXno, rawOfXno), () => inRaw)
  const isOne = Option.isSome(inXno) !== Option.isSome(inRaw)
  if (isOne && Option.isSome(named) && named.value > 0n) return named.value
  const message = `Use --${field} once, with XNO above 0 and at most 30 decimals, such as 0.1`
  return yield* marked("validation", { fields: [{ field, code: "invalid", message }] })
})

/** Makes the commands by which a person gives a permission, after typing back a text that is shown. */
export const grant = <E, R>(root: Root<E, R>) => {
  const within = withinPlace(root)

  const discussion = Command.make("discussion", { expires: expires("30d") }, (flags) =>
    within(
      Effect.gen(function* () {
        const acts = yield* GrantActs
        const millis = yield* lifetime(flags.expires)
        const lines = [
          `Replies to visible Comments on ${yield* Origin}, for ${flags.expires}:`,
          ...(yield* linesOfEnd(millis))
        ]
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
        const lines = [
          `One publication on ${yield* Origin} of the draft`,
          ...linesOf(seen),
          ...(yield* linesOfEnd(millis))
        ]
        yield* confirmTyped(lines, seen.digest.slice(0, 8))
        yield* sayExpiry(yield* acts.draft(seen, millis))
      })
    )
  ).pipe(Command.withDescription("Allow one publication of a draft as it is now"))

  const spending = Command.make(
    "spending",
    {
      workflow: Flag.Literals("workflow", ["buy_post"]).pipe(Flag.withDescription("The kind of payments")),
      total: xno("max-total", "Limit for all purchases together"),
      each: xno("max-each", "Limit for each purchase"),
      totalRaw: raw("max-total-raw"),
      eachRaw: raw("max-each-raw"),
      expires: Flag.String("expires").pipe(
        Flag.withDescription("How long the grant lasts: 45m, 12h, 30d (at most 30d)")
      )
    },
    (flags) =>
      within(
        Effect.gen(function* () {
          const acts = yield* GrantActs
          const millis = yield* lifetime(flags.expires)
          const maxTotalRaw = yield* limitOf("max-total", flags.total, flags.totalRaw)
          const maxEachRaw = yield* limitOf("max-each", flags.each, flags.eachRaw)
          const lines = [
            `Purchases on ${yield* Origin}, for ${flags.expires}:`,
            `  in all    ${xnoOfRaw(maxTotalRaw)} XNO`,
            `  for each  ${xnoOfRaw(maxEachRaw)} XNO`,
            ...(yield* linesOfEnd(millis))
          ]
          yield* confirmTyped(lines, `${xnoOfRaw(maxTotalRaw)} XNO`)
          yield* sayExpiry(yield* acts.spending({ maxTotalRaw, maxEachRaw }, millis))
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
