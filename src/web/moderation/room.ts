import { Effect, Option, Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { ActionReason } from "../../../schemas/accounts/administration/rpc.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import { Moderators } from "../../accounts/administration/Moderators.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import type { SentForm } from "../../platform/http/SentForm.ts"
import { unknownPath } from "../../platform/http/unmatched.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { MODERATION, signInPath } from "../browser/paths.ts"
import type { RefusedReason } from "./parts.ts"

type Response = HttpServerResponse.HttpServerResponse

const decodeReason = Schema.decodeUnknownOption(ActionReason)

const TOO_LONG = "Write at most 500 characters, without invisible ones."

const lineOf = (text: string) => text.replaceAll(/\s+/g, " ").trim()

/** The reasons that a moderator gives: one for the log, and perhaps one for the author. */
interface Reasons {
  readonly reason: string
  readonly reasonForAuthor?: string
  readonly refused?: undefined
}

/** Returns the reasons in a form, each in one line, or what is wrong with them. */
export const reasonOf = (
  form: SentForm<"author" | "reason">
): Reasons | { readonly refused: RefusedReason } => {
  const text = form.get("reason") ?? ""
  const forAuthor = form.get("author") ?? ""
  const reason = decodeReason(lineOf(text))
  const reasonForAuthor = decodeReason(lineOf(forAuthor))
  const isForAuthorWrong = Option.isNone(reasonForAuthor) && lineOf(forAuthor) !== ""
  if (Option.isSome(reason) && !isForAuthorWrong)
    return {
      reason: reason.value,
      ...(Option.isSome(reasonForAuthor) ? { reasonForAuthor: reasonForAuthor.value } : {})
    }
  const said = text.trim() === "" ? "Write a reason that others can understand later." : TOO_LONG
  return Option.isNone(reason)
    ? { refused: { text, forAuthor, said } }
    : { refused: { text, forAuthor, said: null, saidForAuthor: TOO_LONG } }
}

/** Returns what a moderator has written before a page asks once more. Nothing is wrong with it yet. */
export const writtenOf = (form: SentForm<"author" | "reason">): RefusedReason => ({
  text: form.get("reason") ?? "",
  forAuthor: form.get("author") ?? "",
  said: null
})

/** Makes the door of the room of moderators. */
export const makeRoom = Effect.gen(function* () {
  const browser = yield* makeBrowser
  const moderators = yield* Moderators
  const count = yield* limiting
  const { answering, seeOther } = yield* makePrivatePages

  /** Answers as a path that does not exist, so that the room stays unknown. */
  const nothing = problemAnswer(unknownPath())

  /** A moderator whose session ended signs in again, and keeps what was written. Anyone else finds nothing. */
  const outside = Effect.gen(function* () {
    const former = yield* browser.formerOwner
    if (Option.isNone(former) || !(yield* moderators.isActive(former.value))) return yield* nothing
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    return method === "POST" ? yield* browser.askToSignIn({ back: MODERATION }) : seeOther(signInPath(url))
  })

  return {
    /**
     * Acts for the moderator who is signed in, whose right is checked for each request. No other code makes the authority
     * that the services ask for.
     */
    asModerator: <E, R>(act: (moderator: ModeratorAuthority) => Effect.Effect<Response, E, R>) =>
      answering(
        Effect.gen(function* () {
          const owner = yield* browser.owner
          if (Option.isNone(owner)) return yield* outside
          const moderator = yield* moderators.authorityOf(owner.value)
          if (Option.isNone(moderator)) return yield* nothing
          yield* count("public-read")
          yield* browser.counted(owner.value)
          return yield* act(moderator.value)
        })
      )
  }
})
