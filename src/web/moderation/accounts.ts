import { Effect, Layer, Option, Schema } from "effect"
import { type HttpServerResponse } from "effect/http"
import { AccountHandle } from "../../../schemas/accounts/administration/rpc.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import { AccountAdministration } from "../../accounts/administration/AccountAdministration.ts"
import type { NamedAccount } from "../../accounts/owners/owners.sql.ts"
import { Moderation } from "../../engagement/moderation/Moderation.ts"
import { Restrictions } from "../../engagement/moderation/Restrictions.ts"
import { ReportedThings } from "../../engagement/reports/ReportedThings.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addHiddenPage } from "../../platform/http/ServicePaths.ts"
import type { Html } from "../../platform/pages/html.ts"
import { now } from "../../platform/time/now.ts"
import { accountsPage, RESTRICT } from "./accountsPage.ts"
import { ACCOUNTS, bad, type RefusedReason } from "./parts.ts"
import { accountPath } from "./reportParts.ts"
import { restrictPage } from "./restrictPage.ts"
import { makeRoom, reasonOf, writtenOf } from "./room.ts"
import { lastDone } from "./words.ts"

/** Actions of the history of an account. */
const HISTORY = 20

const decodeId = Schema.decodeUnknownOption(OwnerId)
const decodeHandle = Schema.decodeUnknownOption(AccountHandle)
const decodeChange = Schema.decodeUnknownOption(Schema.Literals(["restrict", "unrestrict", "remove-label"]))

/** The actions of the audit log, by the buttons of the page. */
const actions: Readonly<Record<string, string>> = {
  restrict: "accounts.restrict",
  unrestrict: "accounts.unrestrict",
  "remove-label": "accounts.removeAgentLabel"
}

const OPERATOR_ONLY = "Only the operator can change a moderator's account. Nothing was changed."

/** Serves the accounts that moderators look for. */
export const AccountAdministrationRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const accounts = yield* AccountAdministration
    const restrictions = yield* Restrictions
    const things = yield* ReportedThings
    const moderation = yield* Moderation
    const { asModerator } = yield* makeRoom
    const { page, query, readForm, seeOther } = yield* makePrivatePages

    interface Said {
      readonly asked: string
      readonly done?: string | undefined
      readonly told?: Html
      readonly refused?: RefusedReason
    }

    const shown = (
      moderator: ModeratorAuthority,
      named: NamedAccount | undefined,
      { asked, done, refused, told }: Said,
      status = 200
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound> =>
      Effect.gen(function* () {
        const account =
          named === undefined ? undefined : Option.getOrUndefined(yield* accounts.find(moderator, named))
        const { entries } =
          account === undefined
            ? { entries: [] }
            : yield* moderation
                .audit(moderator, { subjectId: account.id, limit: HISTORY })
                .pipe(Effect.mapError(() => new NotFound()))
        // Reports about themselves are not shown to a moderator.
        const open =
          account === undefined || account.id === moderator.ownerId
            ? []
            : yield* things.ofAuthor(moderator, account.id)
        const lists =
          account === undefined && asked === ""
            ? yield* Effect.all(
                { newest: things.newestAccounts(moderator), reported: things.mostReported(moderator) },
                { concurrency: "unbounded" }
              )
            : null
        return page(
          accountsPage({
            moderator,
            now: yield* now,
            asked,
            found: account === undefined ? null : { account, open, history: entries },
            lists,
            told: told ?? lastDone(done, entries, moderator),
            refused: refused ?? null
          }),
          status
        )
      })

    const show = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const fields = yield* query
        const asked = (fields.get("handle") ?? "").trim().replace(/^@/, "")
        const id = decodeId(fields.get("id"))
        if (Option.isSome(id)) {
          const done = actions[fields.get("done") ?? ""]
          return yield* shown(moderator, { id: id.value }, { asked: "", done })
        }
        const handle = asked === "" ? Option.none() : decodeHandle(asked)
        const named = Option.map(handle, (handle) => ({ handle }))
        return yield* shown(moderator, Option.getOrUndefined(named), { asked })
      })
    )

    /** Asks once more before an account is restricted, and keeps what was written. */
    const shownAsk = Effect.fnUntraced(function* (
      moderator: ModeratorAuthority,
      id: OwnerId,
      refused: RefusedReason,
      status = 200
    ) {
      const account = yield* accounts.find(moderator, { id })
      if (Option.isNone(account)) return yield* new NotFound()
      return page(
        restrictPage({
          handle: account.value.handle,
          section: ACCOUNTS,
          reach: yield* restrictions.reach(moderator, id),
          action: ACCOUNTS,
          fields: { account: id },
          back: accountPath(id),
          refused
        }),
        status
      )
    })

    const ask = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const form = yield* readForm({
          account: LENGTHS.word,
          reason: LENGTHS.text,
          author: LENGTHS.text
        })
        const id = decodeId(form.get("account"))
        return Option.isNone(id)
          ? yield* unreadable(form)
          : yield* shownAsk(moderator, id.value, writtenOf(form))
      })
    )

    const change = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const form = yield* readForm({
          account: LENGTHS.word,
          do: LENGTHS.word,
          reason: LENGTHS.text,
          author: LENGTHS.text
        })
        const id = decodeId(form.get("account"))
        const wanted = decodeChange(form.get("do"))
        if (Option.isNone(id) || Option.isNone(wanted)) return yield* unreadable(form)
        const named = { id: id.value }
        const said = reasonOf(form)
        if (said.refused !== undefined)
          return wanted.value === "restrict"
            ? yield* shownAsk(moderator, id.value, said.refused, 422)
            : yield* shown(moderator, named, { asked: "", refused: said.refused }, 422)
        const changed: Effect.Effect<unknown, { readonly _tag: "AccountNotFound" | "OperatorOnly" }> =
          wanted.value === "remove-label"
            ? accounts.removeAgentLabel(moderator, named, { reason: said.reason })
            : restrictions.setRestricted(moderator, named, wanted.value === "restrict", said)
        return yield* Effect.matchEffect(changed, {
          onSuccess: () => Effect.succeed(seeOther(`${accountPath(id.value)}&done=${wanted.value}`)),
          onFailure: ({ _tag }) =>
            _tag === "AccountNotFound"
              ? Effect.fail(new NotFound())
              : shown(moderator, named, { asked: "", told: bad(OPERATOR_ONLY) }, 409)
        })
      })
    )

    return Layer.mergeAll(
      addHiddenPage("GET", ACCOUNTS, show),
      addHiddenPage("POST", ACCOUNTS, change),
      addHiddenPage("POST", RESTRICT, ask)
    )
  })
)
