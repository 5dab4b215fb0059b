import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { PayoutAddressRequest } from "../../../schemas/accounts/payout-address/PayoutAddress.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { PayoutAddresses } from "../../accounts/payout-address/PayoutAddresses.ts"
import { checked } from "../../platform/http/checked.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { backPath } from "../browser/paths.ts"
import { payoutPage, payoutPath } from "./payoutPage.ts"

const check = checked(PayoutAddressRequest)

/** Serves the page on which authors save the address that receives their income. */
export const PayoutRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const payouts = yield* PayoutAddresses
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const shown = (owner: OwnerAuthority, back: string, told?: string, status?: number) =>
      Effect.map(payouts.read(owner), ({ payoutAddress, revision }) =>
        page(payoutPage({ back, address: payoutAddress ?? "", revision: String(revision), told }), status)
      )

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const back = backPath((yield* query).get("back"))
      return yield* browser.asOwner(payoutPath(back), (owner) => shown(owner, back))
    })

    const save = (form: URLSearchParams, back: string) => (owner: OwnerAuthority) => {
      const address = (form.get("address") ?? "").trim()
      const revision = form.get("revision") ?? ""
      const refused = () =>
        page(
          payoutPage({
            back,
            address,
            revision,
            wrong: "This is not a Nano address that can receive money. Copy it from your wallet once more."
          }),
          422
        )
      return check({ payoutAddress: address, revision: Number(revision) }).pipe(
        Effect.flatMap((request) => payouts.save(owner, request)),
        Effect.as(seeOther(back)),
        Effect.catchTags({
          Validation: () => Effect.succeed(refused()),
          RevisionConflict: () =>
            shown(owner, back, "The address was changed elsewhere. This is the one that counts now.", 409)
        })
      )
    }

    const choose = Effect.gen(function* () {
      const form = yield* readForm
      const back = backPath(form.get("back"))
      return yield* browser.asOwner(payoutPath(back), save(form, back))
    })

    return Layer.merge(
      HttpRouter.add("GET", "/payout", answering(show)),
      HttpRouter.add("POST", "/payout", answering(choose))
    )
  })
)
